import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** The sealed signing secret of each app. */
@Injectable()
export class WebhookSecretRepository {
  async find(tx: NarrowTransaction, appKey: string): Promise<Buffer | undefined> {
    const [row] = await tx.query<{ sealed: Buffer }>('select sealed from app_webhook_secret where app_key = $1', [
      appKey,
    ]);
    return row?.sealed;
  }

  /** Keeps the one that is there already, if two want to be first. */
  async insertIfAbsent(tx: NarrowTransaction, appKey: string, sealed: Buffer): Promise<void> {
    await tx.query(
      'insert into app_webhook_secret (app_key, sealed) values ($1, $2) on conflict (app_key) do nothing',
      [appKey, sealed],
    );
  }

  async replace(tx: NarrowTransaction, appKey: string, sealed: Buffer): Promise<void> {
    await tx.query(
      `insert into app_webhook_secret (app_key, sealed) values ($1, $2)
       on conflict (app_key) do update set sealed = excluded.sealed, rotated_at = now()`,
      [appKey, sealed],
    );
  }
}
