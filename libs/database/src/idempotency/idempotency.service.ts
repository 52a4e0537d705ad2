import { createHash } from 'node:crypto';
import { canonicalJson, PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import type { Queryable } from '../transaction.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import type { IdempotentCall } from './idempotent-call.js';

/** Makes creating calls repeatable. No answer is stored, only which record the first call created. */
@Injectable()
export class IdempotencyService {
  constructor(private readonly repository: IdempotencyRepository) {}

  /**
   * Runs `create` in `tx`, or returns what the same call created before. The lock ends with the transaction, so a crash
   * leaves no call "still running".
   * @param tx a transaction in the call's tenant; the narrow role's only where `narrowCreates` was granted
   * @param create creates the record and returns its id
   * @returns the id, and whether an earlier call created the record
   * @throws IDEMPOTENCY_KEY_IN_USE while another transaction runs the same call, IDEMPOTENCY_KEY_REUSED for another body
   */
  async once(
    tx: Queryable,
    call: IdempotentCall,
    create: () => Promise<string>,
  ): Promise<{ recordId: string; repeated: boolean }> {
    if (!(await this.repository.tryLock(tx, call))) throw new PlatformError('IDEMPOTENCY_KEY_IN_USE');
    const earlier = await this.findRecordId(tx, call);
    if (earlier !== null) return { recordId: earlier, repeated: true };
    const recordId = await create();
    await this.repository.save(tx, call, { bodyHash: hashOf(call.body), recordId });
    return { recordId, repeated: false };
  }

  /**
   * Returns the id of what an earlier, finished call created, or null. Used before checks that could refuse a repetition
   * because of a change since the first call; `once` must still follow.
   * @throws IDEMPOTENCY_KEY_REUSED for another body
   */
  async findRecordId(tx: Queryable, call: IdempotentCall): Promise<string | null> {
    const earlier = await this.repository.find(tx, call);
    if (earlier && !earlier.bodyHash.equals(hashOf(call.body))) throw new PlatformError('IDEMPOTENCY_KEY_REUSED');
    return earlier?.recordId ?? null;
  }
}

/** Hashes by value: the order of members and undefined members make no difference, as in the JSON that was sent. */
function hashOf(body: unknown): Buffer {
  const sent: unknown = JSON.parse(JSON.stringify(body ?? null));
  return createHash('sha256').update(canonicalJson(sent)).digest();
}
