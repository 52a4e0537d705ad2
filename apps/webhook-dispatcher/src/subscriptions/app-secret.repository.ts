import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AppSecret } from './app-secret.entity.js';
import { liveSecrets, type StoredSecrets } from './signature.js';

/** $1: key of the app. */
const FIND_APP_SECRET = `
  SELECT secret, previous_secret AS "previousSecret", previous_secret_until AS "previousSecretUntil", version
    FROM app_secret WHERE app_key = $1`;

/** The secrets of an app that are valid, newest first, and a number that changes with them. */
export interface SealedSecrets {
  readonly sealed: Buffer[];
  readonly version: number;
}

const NO_SECRETS: SealedSecrets = { sealed: [], version: 0 };

/** Runs as the narrow role, because the secret of an app is the same in every tenant. */
@Injectable()
export class AppSecretRepository {
  async insertIfMissing(tx: NarrowTransaction, appKey: string, sealed: Buffer): Promise<void> {
    const secrets = tx.repository(AppSecret).createQueryBuilder();
    await secrets.insert().values({ appKey, secret: sealed }).orIgnore().execute();
  }

  /** @returns false when the app has none */
  async replace(tx: NarrowTransaction, appKey: string, sealed: Buffer, previousUntil: Date): Promise<boolean> {
    const { affected } = await tx
      .repository(AppSecret)
      .update({ appKey }, { previousSecret: () => 'secret', previousSecretUntil: previousUntil, secret: sealed });
    return affected === 1;
  }

  async listLive(tx: NarrowTransaction, appKey: string, now: Date): Promise<SealedSecrets> {
    const [stored] = await tx.query<StoredSecrets & { version: number }>(FIND_APP_SECRET, [appKey]);
    return stored === undefined ? NO_SECRETS : { sealed: liveSecrets(stored, now), version: stored.version };
  }
}
