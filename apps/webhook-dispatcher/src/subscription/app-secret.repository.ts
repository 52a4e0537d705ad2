import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { liveAt, type SecretRow } from './live-secrets.js';

/** SQL of apps' signing secrets, which are the same in every tenant. Runs as the narrow role. */
@Injectable()
export class AppSecretRepository {
  /** Keeps the secret of an app that has none yet. */
  async insertIfMissing(tx: NarrowTransaction, appKey: string, sealed: Buffer): Promise<void> {
    await tx.query('INSERT INTO app_secret (app_key, secret) VALUES ($1, $2) ON CONFLICT (app_key) DO NOTHING', [
      appKey,
      sealed,
    ]);
  }

  /** Replaces the secret of an app; the one before stays live until `previousUntil`. False when the app has none. */
  async replace(tx: NarrowTransaction, appKey: string, sealed: Buffer, previousUntil: Date): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE app_secret SET previous_secret = secret, previous_secret_until = $3, secret = $2
        WHERE app_key = $1 RETURNING app_key`,
      [appKey, sealed, previousUntil],
    );
    return rows.length > 0;
  }

  /** Sealed secrets of an app that are live at `now`, the newest first. */
  async liveSecrets(tx: NarrowTransaction, appKey: string, now: Date): Promise<Buffer[]> {
    const [row] = await tx.query<SecretRow>(
      'SELECT secret, previous_secret, previous_secret_until FROM app_secret WHERE app_key = $1',
      [appKey],
    );
    return liveAt(row, now);
  }
}
