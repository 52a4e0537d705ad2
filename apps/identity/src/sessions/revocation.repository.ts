import { ACCESS_TOKEN_SECONDS, type Revocation } from '@crm/contracts';
import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual, Raw } from 'typeorm';
import { COLLECT_CUTOFFS, DELETE_LIFTED_SUSPENSIONS, RECORD_CUTOFF } from './revocation.sql.js';
import { RevocationCutoff } from './revocation-cutoff.entity.js';

/** A cut-off matters for as long as a token issued before it could live; a minute more covers clocks that differ. */
const RELEVANT_SECONDS = ACCESS_TOKEN_SECONDS + 60;

const LASTING: readonly Revocation['kind'][] = ['suspension', 'reinstatement'];

@Injectable()
export class RevocationRepository {
  /** Records a cut-off in the transaction of the change that causes it; of two the later one stays. */
  async record(tx: TenantTransaction | NarrowTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx.query(RECORD_CUTOFF, [tx.tenantId ?? tx.origin?.tenantId, kind, id, cutoffMs]);
  }

  /** Takes what the tenants' transactions recorded into the one list that is published. */
  async collect(tx: NarrowTransaction): Promise<void> {
    await tx.query(COLLECT_CUTOFFS, [RELEVANT_SECONDS]);
  }

  /**
   * Every cut-off that can still matter, those that are not known to be published, or those that matter for longer than the
   * bucket keeps them. Those of one moment in this order: the cut-off of a tenant before its reinstatement.
   */
  async list(tx: NarrowTransaction, which: 'all' | 'unpublished' | 'lasting'): Promise<Revocation[]> {
    const cutoffs = await tx.repository(RevocationCutoff).find({
      select: { kind: true, id: true, cutoffMs: true },
      where: {
        expiresAt: Raw((column) => `${column} > now()`),
        ...(which === 'unpublished' && { published: false }),
        ...(which === 'lasting' && { kind: In(LASTING) }),
      },
      order: { cutoffMs: 'ASC', kind: 'DESC' },
    });
    return cutoffs.map(({ kind, id, cutoffMs }) => ({ kind, id, cutoffMs }));
  }

  /** Removes suspensions that were lifted. */
  async deleteLifted(tx: NarrowTransaction): Promise<void> {
    await tx.query(DELETE_LIFTED_SUSPENSIONS, []);
  }

  async markPublished(tx: NarrowTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx
      .repository(RevocationCutoff)
      .update({ kind, id, cutoffMs: LessThanOrEqual(cutoffMs) }, { published: true });
  }
}
