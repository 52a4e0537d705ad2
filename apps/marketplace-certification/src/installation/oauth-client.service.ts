import { rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import type { Manifest } from '@crm/manifest';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { AppRepository } from '../catalogue/app.repository.js';
import { storedText } from '../text/stored-text.js';
import { requestedScopes } from './granted-scopes.js';
import type { Installation } from './installation.entity.js';

type Identified = Pick<Installation, 'tenantId' | 'appKey'> & { readonly installationId: string };

/** What identity is told of installations, so that it issues tokens for them and ends these. */
@Injectable()
export class OAuthClientService {
  constructor(
    private readonly database: Database,
    private readonly apps: AppRepository,
    private readonly rpc: Rpc,
  ) {}

  /** Lets the users of the tenant authorize the app. @throws PlatformError of identity */
  async register(installation: Installation, manifest: Manifest): Promise<void> {
    const { tenantId } = installation;
    await this.rpc.call(rpc.identity.registerOAuthInstallation, {
      tenantId,
      ...(await this.factsOf(installation, manifest)),
    });
  }

  /** Ends credentials, grants and tokens of an installation. @throws PlatformError of identity */
  async end({ tenantId, installationId, appKey }: Identified): Promise<void> {
    await this.rpc.call(rpc.identity.endOAuthInstallation, { tenantId, installationId, appKey });
  }

  /** What identity has to know of an installation. */
  async factsOf({ id, appKey, sandbox, grantedScopes }: Installation, manifest: Manifest) {
    const { name, oauth } = manifest;
    const required = requestedScopes(manifest).filter(({ optional }) => !optional);
    const publisher = await this.database.crossTenant((tx) => this.apps.findPublisherName(tx, appKey));
    return {
      installationId: id,
      appKey,
      appName: storedText(name, 200),
      publisher: publisher ?? '',
      sandbox,
      scopes: grantedScopes,
      requiredScopes: required.map(({ scope }) => scope),
      redirectUris: oauth?.redirectUris ?? [],
    };
  }
}
