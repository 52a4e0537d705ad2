import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not, Raw } from 'typeorm';
import { type IssuerGroup, SigningKey } from './sessions.entity.js';

export const LOCK_SIGNING_KEYS = `SELECT pg_advisory_xact_lock(hashtext('identity.signing_key'))`;

/**
 * Takes every key of a group but one out of force, and with the same commit records cut-offs, which the replicas publish within
 * a second. Also those that retired within a day, which a verifier that could not reach identity may still know.
 * $1: group, $2: kid of the key that stays, $3: milliseconds since 1970, $4: seconds that the cut-offs matter.
 */
export const WITHDRAW_SIGNING_KEYS = `
  WITH withdrawn AS (
    UPDATE signing_key SET retires_at = LEAST(retires_at, now())
     WHERE issuer_group = $1 AND kid <> $2 AND (retires_at IS NULL OR retires_at > now() - interval '1 day')
    RETURNING kid),
  cut AS (
    INSERT INTO revocation_cutoff (kind, id, cutoff_ms, expires_at)
    SELECT 'signing_key', kid, $3, now() + make_interval(secs => $4) FROM withdrawn
    ON CONFLICT (kind, id) DO NOTHING)
  SELECT kid FROM withdrawn ORDER BY kid`;

/** Anyone who has a private key can date tokens as they like: until every verifier has read the published keys again, and more. */
const CUTOFF_SECONDS = 24 * 3600;

@Injectable()
export class SigningKeyRepository {
  /** Makes replicas that want to create or rotate keys wait for each other until the transaction ends. */
  async lock(tx: NarrowTransaction): Promise<void> {
    await tx.query(LOCK_SIGNING_KEYS);
  }

  async listPublished(tx: NarrowTransaction): Promise<SigningKey[]> {
    return tx.repository(SigningKey).find({
      where: [{ retiresAt: IsNull() }, { retiresAt: Raw((column) => `${column} > now()`) }],
      order: { signsFrom: 'ASC', kid: 'ASC' },
    });
  }

  async insert(tx: NarrowTransaction, key: Omit<SigningKey, 'retiresAt'>): Promise<void> {
    await tx.repository(SigningKey).insert({ ...key });
  }

  async withdrawOthers(tx: NarrowTransaction, group: IssuerGroup, kid: string): Promise<string[]> {
    const withdrawn = await tx.query<{ kid: string }>(WITHDRAW_SIGNING_KEYS, [group, kid, Date.now(), CUTOFF_SECONDS]);
    return withdrawn.map((key) => key.kid);
  }

  async retireOthers(tx: NarrowTransaction, group: IssuerGroup, kid: string, retiresAt: Date): Promise<void> {
    await tx.repository(SigningKey).update({ group, kid: Not(kid), retiresAt: IsNull() }, { retiresAt });
  }
}
