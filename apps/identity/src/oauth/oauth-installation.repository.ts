import type { OAuthAppStatus } from '@crm/contracts';
import { Database, type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In, IsNull, Raw } from 'typeorm';
import { hashSecret, isSecret, newSecret } from '../secret.js';
import { OAuthInstallation } from './oauth-installation.entity.js';
import {
  END_OAUTH_INSTALLATION,
  READ_OAUTH_CLIENT,
  READ_OAUTH_INSTALLATION,
  REGISTER_OAUTH_INSTALLATION,
  ROTATE_OAUTH_SECRET,
} from './oauth-installation.sql.js';

export type InstallationFacts = Pick<
  OAuthInstallation,
  'installationId' | 'tenantId' | 'appKey' | 'appName' | 'publisher' | 'sandbox' | 'scopes' | 'redirectUris'
> &
  Partial<Pick<OAuthInstallation, 'requiredScopes'>>;

/** Whom a client acts as: an installation with valid credentials. */
export type AuthenticatedClient = Pick<OAuthInstallation, 'installationId' | 'tenantId' | 'appKey' | 'scopes'> & {
  readonly clientId: string;
};

/** Compared against for an unknown client id, so that it takes as long as a wrong secret. */
const NO_SECRET = hashSecret(newSecret());
const VALID_PREVIOUS = Raw((column) => `${column} > now()`);

@Injectable()
export class OAuthInstallationRepository {
  constructor(private readonly database: Database) {}

  /** @returns the client id, or null for an installation that has ended or is another tenant's */
  async register(tx: NarrowTransaction, facts: InstallationFacts, newClientId: string): Promise<string | null> {
    const { installationId, tenantId, appKey, appName, publisher, sandbox, scopes, redirectUris } = facts;
    const { requiredScopes = [] } = facts;
    const parameters = [installationId, tenantId, newClientId, appKey, appName, publisher, sandbox];
    const [row] = await tx.query<{ clientId: string }>(REGISTER_OAUTH_INSTALLATION, [
      ...parameters,
      scopes,
      redirectUris,
      requiredScopes,
    ]);
    return row?.clientId ?? null;
  }

  /** @returns whether it had credentials */
  async end(
    tx: NarrowTransaction,
    { installationId, tenantId, appKey }: Pick<OAuthInstallation, 'installationId' | 'tenantId' | 'appKey'>,
    newClientId: string,
  ): Promise<boolean> {
    const [row] = await tx.query<{ hadSecret: boolean }>(END_OAUTH_INSTALLATION, [
      installationId,
      tenantId,
      newClientId,
      appKey,
    ]);
    return row?.hadSecret ?? false;
  }

  async rotate(
    tx: NarrowTransaction,
    { tenantId, installationId }: Pick<OAuthInstallation, 'tenantId' | 'installationId'>,
    secretHash: Buffer,
    overlapSeconds: number,
  ): Promise<Pick<OAuthInstallation, 'clientId' | 'previousValidUntil'> | null> {
    const [row] = await tx.query<Pick<OAuthInstallation, 'clientId' | 'previousValidUntil'>>(ROTATE_OAUTH_SECRET, [
      tenantId,
      installationId,
      secretHash,
      overlapSeconds,
    ]);
    return row ?? null;
  }

  /** One that has not ended. */
  async find(tx: NarrowTransaction, tenantId: string, installationId: string): Promise<OAuthInstallation | null> {
    return tx.repository(OAuthInstallation).findOneBy({ tenantId, installationId, endedAt: IsNull() });
  }

  /** Of any tenant. */
  async findOfApp(tx: NarrowTransaction, appKey: string, installationId: string): Promise<OAuthInstallation | null> {
    return tx.repository(OAuthInstallation).findOneBy({ appKey, installationId, endedAt: IsNull() });
  }

  /** The installation of an app in a tenant; sandboxes have to be named. */
  async findLive(tx: NarrowTransaction, tenantId: string, appKey: string): Promise<OAuthInstallation | null> {
    return tx.repository(OAuthInstallation).findOneBy({ tenantId, appKey, sandbox: false, endedAt: IsNull() });
  }

  /** What users cannot leave out of what some installations were granted, by installation. */
  async findRequiredScopes(
    tx: NarrowTransaction,
    tenantId: string,
    installationIds: readonly string[],
  ): Promise<ReadonlyMap<string, string[]>> {
    const found = await tx.repository(OAuthInstallation).find({
      select: { installationId: true, requiredScopes: true },
      where: { tenantId, installationId: In([...installationIds]) },
    });
    return new Map(found.map(({ installationId, requiredScopes }) => [installationId, requiredScopes]));
  }

  /** Ends the secret before the present one. @returns whether it was still valid */
  async endPrevious(tx: NarrowTransaction, tenantId: string, installationId: string): Promise<boolean> {
    const { affected } = await tx
      .repository(OAuthInstallation)
      .update(
        { tenantId, installationId, previousValidUntil: VALID_PREVIOUS },
        { previousSecretHash: null, previousValidUntil: secondsFromNow(0) },
      );
    return affected === 1;
  }

  /** One round trip, which also notes that the secret was used. @returns null for credentials that are not valid */
  async authenticate(clientId: string, clientSecret: string): Promise<AuthenticatedClient | null> {
    const [row] = await this.database.crossTenantStatement<
      Omit<AuthenticatedClient, 'clientId'> & { matchedHash: Buffer }
    >(READ_OAUTH_CLIENT, [clientId, hashSecret(clientSecret)]);
    if (!isSecret(row?.matchedHash ?? NO_SECRET, clientSecret) || !row) return null;
    const { installationId, tenantId, appKey, scopes } = row;
    return { clientId, installationId, tenantId, appKey, scopes };
  }

  /** What tokens for users of an installation are decided on; null for one that has ended. */
  async readForUsers(
    tenantId: string,
    installationId: string,
  ): Promise<{ appKey: string; scopes: string[]; status: OAuthAppStatus } | null> {
    const [row] = await this.database.crossTenantStatement<{
      appKey: string;
      scopes: string[];
      status: OAuthAppStatus;
    }>(READ_OAUTH_INSTALLATION, [tenantId, installationId]);
    return row ?? null;
  }
}
