import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { WebhookSecret } from './webhook-secret.entity.js';
import { ADD_WEBHOOK_SECRET, REPLACE_WEBHOOK_SECRET } from './webhook-secret.sql.js';

/** The sealed signing secret of each app: a global table that the narrow role reaches. */
@Injectable()
export class WebhookSecretRepository {
  async find(tx: NarrowTransaction, appKey: string): Promise<WebhookSecret | null> {
    return tx.repository(WebhookSecret).findOneBy({ appKey });
  }

  /** Adds a secret unless the app has one. */
  async insertIfAbsent(tx: NarrowTransaction, { appKey, sealed }: WebhookSecret): Promise<void> {
    await tx.query(ADD_WEBHOOK_SECRET, [appKey, sealed]);
  }

  async replace(tx: NarrowTransaction, { appKey, sealed }: WebhookSecret): Promise<void> {
    await tx.query(REPLACE_WEBHOOK_SECRET, [appKey, sealed]);
  }
}
