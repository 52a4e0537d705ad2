import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not, Raw } from 'typeorm';
import { type IssuerGroup, SigningKey } from './signing-key.entity.js';
import { LOCK_SIGNING_KEYS, WITHDRAW_SIGNING_KEYS } from './signing-key.sql.js';

/** Whoever has a private key can date tokens as they like: until every verifier has read the published keys again, and more. */
const CUTOFF_SECONDS = 24 * 3600;

@Injectable()
export class SigningKeyRepository {
  /** Makes replicas that want to create or rotate keys wait for each other until the transaction ends. */
  async lock(tx: NarrowTransaction): Promise<void> {
    await tx.query(LOCK_SIGNING_KEYS);
  }

  /** Every key that is not retired, oldest first. */
  async listPublished(tx: NarrowTransaction): Promise<SigningKey[]> {
    return tx.repository(SigningKey).find({
      where: [{ retiresAt: IsNull() }, { retiresAt: Raw((column) => `${column} > now()`) }],
      order: { signsFrom: 'ASC', kid: 'ASC' },
    });
  }

  async insert(tx: NarrowTransaction, key: Omit<SigningKey, 'retiresAt'>): Promise<void> {
    await tx.repository(SigningKey).insert({ ...key });
  }

  /** Takes every other key of the group out of force at once, with everything that they signed. @returns their ids */
  async withdrawOthers(tx: NarrowTransaction, group: IssuerGroup, kid: string): Promise<string[]> {
    const withdrawn = await tx.query<{ kid: string }>(WITHDRAW_SIGNING_KEYS, [group, kid, Date.now(), CUTOFF_SECONDS]);
    return withdrawn.map((key) => key.kid);
  }

  /** Gives every other key of the group an end. */
  async retireOthers(tx: NarrowTransaction, group: IssuerGroup, kid: string, retiresAt: Date): Promise<void> {
    await tx.repository(SigningKey).update({ group, kid: Not(kid), retiresAt: IsNull() }, { retiresAt });
  }
}
