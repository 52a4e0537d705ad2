import { ACCESS_TOKEN_SECONDS, type Revocation } from '@crm/contracts';
import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** A cut-off matters for as long as a token issued before it could live; a minute more covers clocks that differ. */
const RELEVANT_SECONDS = ACCESS_TOKEN_SECONDS + 60;

interface CutoffRow {
  kind: Revocation['kind'];
  id: string;
  /** `bigint` comes as text. */
  cutoffMs: string;
}

const COLUMNS = 'kind, id, cutoff_ms AS "cutoffMs"';

@Injectable()
export class RevocationRepository {
  /** Records a cut-off in the transaction of the change that causes it; of two the later one stays. */
  async record(tx: TenantTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx.query(
      `INSERT INTO pending_cutoff AS p (tenant_id, kind, id, cutoff_ms) VALUES ($1, $2, $3, $4)
       ON CONFLICT (tenant_id, kind, id) DO UPDATE SET cutoff_ms = GREATEST(p.cutoff_ms, EXCLUDED.cutoff_ms)`,
      [tx.tenantId, kind, id, cutoffMs],
    );
  }

  /** Takes what the tenants' transactions recorded into the one list that is published. */
  async collect(tx: NarrowTransaction): Promise<void> {
    await tx.query(
      `WITH recorded AS (DELETE FROM pending_cutoff RETURNING kind, id, cutoff_ms)
       INSERT INTO revocation_cutoff AS c (kind, id, cutoff_ms, expires_at)
       SELECT kind, id, max(cutoff_ms), now() + make_interval(secs => $1) FROM recorded GROUP BY kind, id
       ON CONFLICT (kind, id) DO UPDATE SET
         cutoff_ms = GREATEST(c.cutoff_ms, EXCLUDED.cutoff_ms), expires_at = EXCLUDED.expires_at, published = false`,
      [RELEVANT_SECONDS],
    );
  }

  /** Every cut-off that can still matter, or those that are not known to be published. */
  async list(tx: NarrowTransaction, which: 'all' | 'unpublished'): Promise<Revocation[]> {
    const rows = await tx.query<CutoffRow>(
      `SELECT ${COLUMNS} FROM revocation_cutoff
       WHERE expires_at > now()${which === 'unpublished' ? ' AND NOT published' : ''} ORDER BY cutoff_ms`,
    );
    return rows.map(({ kind, id, cutoffMs }) => ({ kind, id, cutoffMs: Number(cutoffMs) }));
  }

  async markPublished(tx: NarrowTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx.query('UPDATE revocation_cutoff SET published = true WHERE kind = $1 AND id = $2 AND cutoff_ms <= $3', [
      kind,
      id,
      cutoffMs,
    ]);
  }
}
