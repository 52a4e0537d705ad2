import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
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
