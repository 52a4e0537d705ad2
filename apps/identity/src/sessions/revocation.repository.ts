import { ACCESS_TOKEN_SECONDS, type Revocation } from '@crm/contracts';
import { type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { FUTURE, type WorkspaceTransaction } from '../tenant-row.js';
import { RevocationCutoff } from './sessions.entity.js';

/** The later one of two cut-offs stays. $1: tenant, $2: kind, $3: id, $4: cut-off in milliseconds. */
export const RECORD_CUTOFF = `
  INSERT INTO pending_cutoff AS p (tenant_id, kind, id, cutoff_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant_id, kind, id) DO UPDATE SET cutoff_ms = GREATEST(p.cutoff_ms, EXCLUDED.cutoff_ms)`;

/**
 * Moves what the tenants' transactions recorded into the one list that is published. A suspension matters until it is lifted,
 * and that it was lifted for longer than the bucket keeps the suspension (a day) after it was published for the last time. The
 * revocation of an app matters for ever.
 * $1: seconds that any other matters.
 */
export const COLLECT_CUTOFFS = `
  WITH recorded AS (DELETE FROM pending_cutoff RETURNING kind, id, cutoff_ms)
  INSERT INTO revocation_cutoff AS c (kind, id, cutoff_ms, expires_at)
  SELECT kind, id, max(cutoff_ms),
         CASE kind WHEN 'suspension' THEN 'infinity'
                   WHEN 'revoked_app' THEN 'infinity'
                   WHEN 'reinstatement' THEN now() + interval '2 days'
                   ELSE now() + make_interval(secs => $1) END
    FROM recorded GROUP BY kind, id
  ON CONFLICT (kind, id) DO UPDATE SET
    cutoff_ms = GREATEST(c.cutoff_ms, EXCLUDED.cutoff_ms), expires_at = EXCLUDED.expires_at, published = false`;

export const DELETE_LIFTED_SUSPENSIONS = `
  DELETE FROM revocation_cutoff AS suspended USING revocation_cutoff AS lifted
   WHERE suspended.kind = 'suspension' AND lifted.kind = 'reinstatement' AND lifted.id = suspended.id
     AND lifted.cutoff_ms >= suspended.cutoff_ms`;

/** A cut-off matters for as long as a token issued before it could live; a minute more covers clocks that differ. */
const RELEVANT_SECONDS = ACCESS_TOKEN_SECONDS + 60;

const LASTING: readonly Revocation['kind'][] = ['suspension', 'reinstatement', 'revoked_app'];

@Injectable()
export class RevocationRepository {
  async record(tx: WorkspaceTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx.query(RECORD_CUTOFF, [tx.tenantId ?? tx.origin?.tenantId, kind, id, cutoffMs]);
  }

  async collect(tx: NarrowTransaction): Promise<void> {
    await tx.query(COLLECT_CUTOFFS, [RELEVANT_SECONDS]);
  }

  /** The cut-off of a tenant comes before a reinstatement of the same moment. */
  async list(tx: NarrowTransaction, which: 'all' | 'unpublished' | 'lasting'): Promise<Revocation[]> {
    const cutoffs = await tx.repository(RevocationCutoff).find({
      select: { kind: true, id: true, cutoffMs: true },
      where: {
        expiresAt: FUTURE,
        ...(which === 'unpublished' && { published: false }),
        ...(which === 'lasting' && { kind: In(LASTING) }),
      },
      order: { cutoffMs: 'ASC', kind: 'DESC' },
    });
    return cutoffs.map(({ kind, id, cutoffMs }) => ({ kind, id, cutoffMs }));
  }

  async deleteLifted(tx: NarrowTransaction): Promise<void> {
    await tx.query(DELETE_LIFTED_SUSPENSIONS, []);
  }

  async markPublished(tx: NarrowTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx
      .repository(RevocationCutoff)
      .update({ kind, id, cutoffMs: LessThanOrEqual(cutoffMs) }, { published: true });
  }
}
