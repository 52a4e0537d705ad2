import type { Revocation } from '@crm/contracts';
import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

@Injectable()
export class RevocationRepository {
  /** Records a cut-off in the transaction of the change that causes it. */
  async record(tx: TenantTransaction, revocation: Revocation, expiresAt: Date): Promise<void> {
    await tx.query('SELECT record_cutoff($1, $2, $3, $4)', [
      revocation.kind,
      revocation.id,
      revocation.cutoffMs,
      expiresAt,
    ]);
  }

  /** Every cut-off that can still matter, or those that are not known to be published. */
  async list(tx: NarrowTransaction, which: 'all' | 'unpublished'): Promise<Revocation[]> {
    const rows = await tx.query<{ kind: Revocation['kind']; id: string; cutoffMs: string }>(
      `SELECT kind, id, cutoff_ms AS "cutoffMs" FROM revocation_cutoff
       WHERE expires_at > now()${which === 'unpublished' ? ' AND NOT published' : ''} ORDER BY cutoff_ms`,
    );
    return rows.map((row) => ({ ...row, cutoffMs: Number(row.cutoffMs) }));
  }

  async markPublished(tx: NarrowTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx.query('UPDATE revocation_cutoff SET published = true WHERE kind = $1 AND id = $2 AND cutoff_ms <= $3', [
      kind,
      id,
      cutoffMs,
    ]);
  }

  async deleteExpired(tx: NarrowTransaction): Promise<void> {
    await tx.query('DELETE FROM revocation_cutoff WHERE expires_at < now()');
  }
}
