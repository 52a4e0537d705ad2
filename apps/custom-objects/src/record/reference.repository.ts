import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { CLAIM_REFERENCES, LIST_REFERRING, RELEASE_REFERENCES } from './reference.sql.js';

/** What a field of a record refers to, or is to refer to. */
export interface Reference {
  readonly recordId: string;
  readonly fieldKey: number;
  readonly targetId: string;
}

/** A field that refers to a record. */
export interface Referring {
  readonly objectId: string;
  readonly recordId: string;
  readonly fieldKey: number;
}

/** Which record refers to which. */
@Injectable()
export class ReferenceRepository {
  /**
   * @param wanted each with the object whose record it can be; a field that can refer to several objects is there for each
   * @returns the keys of the fields whose record exists; nobody deletes it before the transaction ends
   */
  async claim(
    tx: TenantTransaction,
    objectId: string,
    recordId: string,
    wanted: readonly (Omit<Reference, 'recordId'> & { readonly objectId: string })[],
  ): Promise<Set<number>> {
    const rows = await tx.queryPrepared<{ fieldKey: number }>(CLAIM_REFERENCES, [
      tx.tenantId,
      objectId,
      recordId,
      wanted.map(({ fieldKey }) => fieldKey),
      wanted.map((reference) => reference.objectId),
      wanted.map(({ targetId }) => targetId),
    ]);
    return new Set(rows.map(({ fieldKey }) => fieldKey));
  }

  async release(tx: TenantTransaction, objectId: string, references: readonly Reference[]): Promise<void> {
    await tx.queryPrepared(RELEASE_REFERENCES, [
      tx.tenantId,
      objectId,
      references.map(({ recordId }) => recordId),
      references.map(({ fieldKey }) => fieldKey),
      references.map(({ targetId }) => targetId),
    ]);
  }

  /** At most that many. */
  listReferring(tx: TenantTransaction, targetIds: readonly string[], limit: number): Promise<Referring[]> {
    return tx.queryPrepared<Referring>(LIST_REFERRING, [tx.tenantId, targetIds, limit]);
  }
}
