import { createHash } from 'node:crypto';
import { PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { canonicalJson } from './canonical-json.js';
import { IdempotencyRepository, type IdempotencyScope } from './idempotency.repository.js';

/** A creating call that is to take effect once. */
export interface IdempotentCall extends IdempotencyScope {
  /** The body as it was sent. */
  readonly body: unknown;
  /** Hours for which a repetition is recognised. */
  readonly keptHours: number;
}

/** Hours for which an `Idempotency-Key` header is remembered. */
export const HEADER_KEPT_HOURS = 24;

/**
 * Reads the `Idempotency-Key` header.
 * @throws MALFORMED_REQUEST when it is not 1 to 255 visible ASCII characters
 */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new PlatformError('MALFORMED_REQUEST', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return header;
}

/** Makes creating calls repeatable: no answer is kept, only which record the first call made. */
@Injectable()
export class IdempotencyService {
  constructor(private readonly repository: IdempotencyRepository) {}

  /**
   * Runs `create` in `tx`, or finds what the same call created before. The lock lives as long as the transaction, so a
   * crash leaves no call "still running".
   * @param create makes the record and returns its id
   * @returns the id, and whether the record was made by an earlier call
   * @throws IDEMPOTENCY_KEY_IN_USE while another transaction runs the same call, IDEMPOTENCY_KEY_REUSED for another body
   */
  async once(
    tx: TenantTransaction,
    call: IdempotentCall,
    create: () => Promise<string>,
  ): Promise<{ recordId: string; repeated: boolean }> {
    if (!(await this.repository.tryLock(tx, call))) throw new PlatformError('IDEMPOTENCY_KEY_IN_USE');
    const bodyHash = createHash('sha256').update(canonicalJson(call.body)).digest();
    const earlier = await this.repository.find(tx, call);
    if (earlier) {
      if (!earlier.bodyHash.equals(bodyHash)) throw new PlatformError('IDEMPOTENCY_KEY_REUSED');
      return { recordId: earlier.recordId, repeated: true };
    }
    const recordId = await create();
    await this.repository.save(tx, call, { bodyHash, recordId }, call.keptHours);
    return { recordId, repeated: false };
  }
}
