import { randomBytes } from 'node:crypto';
import type { Principal } from '@crm/context';
import { rpc } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { DeveloperAppService } from '../submission/developer-app.service.js';
import { WebhookSecretRepository } from './webhook-secret.repository.js';

/** The size that Standard Webhooks recommends at most for symmetric keys is 64 bytes, at least 24. */
const SECRET_BYTES = 32;

/** The secret that an app's webhooks are signed with: one for all its installations. */
@Injectable()
export class WebhookSecretService {
  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecretRepository,
    private readonly box: SecretBox,
    private readonly apps: DeveloperAppService,
    private readonly rpc: Rpc,
  ) {}

  /**
   * Makes a new secret and hands it to the existing subscriptions. Nobody has seen the secret when that fails, so the
   * publisher simply asks again.
   * @throws PlatformError NOT_FOUND when the app is not the caller's; SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED
   */
  async rotate(principal: Principal, appKey: string): Promise<string> {
    await this.apps.assertOwned(principal.tenantId, appKey);
    const secret = newSecret();
    await this.database.crossTenant((tx) => this.secrets.replace(tx, appKey, this.box.seal(secret, placeOf(appKey))));
    await this.rpc.call(rpc.webhooks.rotateAppSecret, { appKey, secret });
    return secret;
  }

  /** The app's secret, made now if it has none. */
  forInstallation(appKey: string): Promise<string> {
    return this.database.crossTenant((tx) => this.ensure(tx, appKey));
  }

  /** See {@link forInstallation}; in a transaction that is under way. */
  async ensure(tx: NarrowTransaction, appKey: string): Promise<string> {
    const known = await this.secrets.find(tx, appKey);
    if (known) return this.box.open(known, placeOf(appKey));
    await this.secrets.insertIfAbsent(tx, appKey, this.box.seal(newSecret(), placeOf(appKey)));
    return this.box.open((await this.secrets.find(tx, appKey)) as Buffer, placeOf(appKey));
  }
}

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

const placeOf = (appKey: string): string => `app_webhook_secret/${appKey}`;
