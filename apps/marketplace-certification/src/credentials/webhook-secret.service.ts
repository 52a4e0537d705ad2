import { randomBytes } from 'node:crypto';
import type { Principal } from '@crm/access';
import { rpc } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { AppService } from '../catalogue/app.service.js';
import { WebhookSecret } from './credentials.entity.js';

/** Keeps the secret that is there already when two are first at once. $1: key of the app, $2: the sealed secret. */
const ADD_WEBHOOK_SECRET = `
  INSERT INTO app_webhook_secret (app_key, sealed) VALUES ($1, $2) ON CONFLICT (app_key) DO NOTHING`;

const REPLACE_WEBHOOK_SECRET = `
  INSERT INTO app_webhook_secret (app_key, sealed) VALUES ($1, $2)
  ON CONFLICT (app_key) DO UPDATE SET sealed = excluded.sealed, rotated_at = now()`;

@Injectable()
export class WebhookSecretRepository {
  async find(tx: NarrowTransaction, appKey: string): Promise<WebhookSecret | null> {
    return tx.repository(WebhookSecret).findOneBy({ appKey });
  }

  async insertIfAbsent(tx: NarrowTransaction, { appKey, sealed }: WebhookSecret): Promise<void> {
    await tx.query(ADD_WEBHOOK_SECRET, [appKey, sealed]);
  }

  async replace(tx: NarrowTransaction, { appKey, sealed }: WebhookSecret): Promise<void> {
    await tx.query(REPLACE_WEBHOOK_SECRET, [appKey, sealed]);
  }
}

/** Standard Webhooks recommends between 24 and 64 bytes for symmetric keys. */
const SECRET_BYTES = 32;

/** The secret that the webhooks of an app are signed with: one for all its installations. */
@Injectable()
export class WebhookSecretService {
  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecretRepository,
    private readonly box: SecretBox,
    private readonly apps: AppService,
    private readonly rpc: Rpc,
  ) {}

  /**
   * Makes a new secret and hands it to the existing subscriptions. When that fails, nobody has seen the secret and the
   * publisher can simply repeat the call.
   * @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app; SERVICE_UNAVAILABLE,
   *   DEADLINE_EXCEEDED
   */
  async rotate(principal: Principal, appKey: string): Promise<string> {
    await this.apps.assertOwned(principal.tenantId, appKey);
    const act = { action: 'app_webhook_secret.issued', subjectId: appKey } as const;
    await this.rpc.call(rpc.identity.recordAct, act, principal);
    const secret = newSecret();
    await this.database.crossTenant((tx) => this.secrets.replace(tx, this.seal(appKey, secret)));
    await this.rpc.call(rpc.webhooks.rotateAppSecret, { appKey, secret });
    return secret;
  }

  ensureForInstallation(appKey: string): Promise<string> {
    return this.database.crossTenant((tx) => this.ensure(tx, appKey));
  }

  /** See {@link ensureForInstallation}; in a transaction that is under way. */
  async ensure(tx: NarrowTransaction, appKey: string): Promise<string> {
    const known = await this.secrets.find(tx, appKey);
    if (known) return this.open(known);
    await this.secrets.insertIfAbsent(tx, this.seal(appKey, newSecret()));
    return this.open((await this.secrets.find(tx, appKey)) as WebhookSecret);
  }

  private seal(appKey: string, secret: string): WebhookSecret {
    return { appKey, sealed: this.box.seal(secret, contextOfWebhookSecret(appKey)) };
  }

  private open({ appKey, sealed }: WebhookSecret): string {
    return this.box.open(sealed, contextOfWebhookSecret(appKey));
  }
}

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

export const contextOfWebhookSecret = (appKey: string): string => `app_webhook_secret/${appKey}`;
