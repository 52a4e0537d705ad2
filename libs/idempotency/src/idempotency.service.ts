import { createHash } from 'node:crypto';
import { canonicalJson, PlatformError } from '@crm/contracts';
import type { Queryable } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import type { IdempotentCall } from './idempotent-call.js';

/** Makes creating calls repeatable: no answer is kept, only which record the first call made. */
@Injectable()
export class IdempotencyService {
  constructor(private readonly repository: IdempotencyRepository) {}

  /**
   * Runs `create` in `tx`, or finds what the same call created before. The lock lives as long as the transaction, so a
   * crash leaves no call "still running".
   * @param tx a transaction in the call's tenant; of the narrow role only where the table is open to it
   * @param create makes the record and returns its id
   * @returns the id, and whether the record was made by an earlier call
   * @throws IDEMPOTENCY_KEY_IN_USE while another transaction runs the same call, IDEMPOTENCY_KEY_REUSED for another body
   */
  async once(
    tx: Queryable,
    call: IdempotentCall,
    create: () => Promise<string>,
  ): Promise<{ recordId: string; repeated: boolean }> {
    if (!(await this.repository.tryLock(tx, call))) throw new PlatformError('IDEMPOTENCY_KEY_IN_USE');
    const earlier = await this.find(tx, call);
    if (earlier !== undefined) return { recordId: earlier, repeated: true };
    const recordId = await create();
    await this.repository.save(tx, call, { bodyHash: hashOf(call.body), recordId });
    return { recordId, repeated: false };
  }

  /**
   * What an earlier, finished call created. Asked before work that could refuse the repetition of a call for what has
   * changed since the first one; `once` follows all the same.
   * @throws IDEMPOTENCY_KEY_REUSED for another body
   */
  async find(tx: Queryable, call: IdempotentCall): Promise<string | undefined> {
    const earlier = await this.repository.find(tx, call);
    if (earlier && !earlier.bodyHash.equals(hashOf(call.body))) throw new PlatformError('IDEMPOTENCY_KEY_REUSED');
    return earlier?.recordId;
  }
}

/** By value: the order of members and members that are undefined make no difference, as in the JSON that was sent. */
function hashOf(body: unknown): Buffer {
  const sent: unknown = JSON.parse(JSON.stringify(body ?? null));
  return createHash('sha256').update(canonicalJson(sent)).digest();
}
