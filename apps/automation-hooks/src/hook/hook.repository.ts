import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

export interface HookRow {
  readonly tenantId: string;
  readonly secretHash: Buffer;
}

/** `hook` is global and reached by the narrow role; `hook_secret` keeps what administrators are shown. */
@Injectable()
export class HookRepository {
  /**
   * Stores a hook, or gives the one that the workflow has another secret.
   * @throws Error for a workflow that another tenant has a hook of
   */
  async put(tx: NarrowTransaction, workflowId: string, row: HookRow): Promise<void> {
    const stored = await tx.query(
      `INSERT INTO hook (workflow_id, tenant_id, secret_hash) VALUES ($1, $2, $3)
       ON CONFLICT (workflow_id) DO UPDATE SET secret_hash = EXCLUDED.secret_hash
         WHERE hook.tenant_id = EXCLUDED.tenant_id
       RETURNING workflow_id`,
      [workflowId, row.tenantId, row.secretHash],
    );
    if (stored.length === 0) throw new Error(`The hook of the workflow ${workflowId} belongs to another tenant`);
  }

  async find(tx: NarrowTransaction, workflowId: string): Promise<HookRow | undefined> {
    const [row] = await tx.query<HookRow>(
      'SELECT tenant_id AS "tenantId", secret_hash AS "secretHash" FROM hook WHERE workflow_id = $1',
      [workflowId],
    );
    return row;
  }

  async delete(tx: NarrowTransaction, workflowIds: readonly string[]): Promise<void> {
    await tx.query('DELETE FROM hook WHERE workflow_id = ANY($1::uuid[])', [workflowIds]);
  }

  async insertSealed(tx: TenantTransaction, workflowId: string, sealed: Buffer): Promise<void> {
    await tx.query('INSERT INTO hook_secret (tenant_id, workflow_id, sealed) VALUES ($1, $2, $3)', [
      tx.tenantId,
      workflowId,
      sealed,
    ]);
  }

  async deleteSealed(tx: TenantTransaction, workflowId: string): Promise<void> {
    await tx.query('DELETE FROM hook_secret WHERE workflow_id = $1', [workflowId]);
  }

  async findSealed(tx: TenantTransaction, workflowId: string): Promise<Buffer | undefined> {
    const [row] = await tx.query<{ sealed: Buffer }>('SELECT sealed FROM hook_secret WHERE workflow_id = $1', [
      workflowId,
    ]);
    return row?.sealed;
  }
}
