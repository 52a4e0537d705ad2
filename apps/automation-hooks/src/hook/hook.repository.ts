import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Hook } from './hook.entity.js';
import { STORE_HOOK } from './hook.sql.js';
import { HookSecret } from './hook-secret.entity.js';

/** The hash by which a call is recognised (`hook`), and the sealed secret for administrators (`hook_secret`). */
@Injectable()
export class HookRepository {
  /**
   * Stores a hook, or replaces the secret of the hook that the workflow has.
   * @throws Error when another tenant has a hook of this workflow
   */
  async store(tx: NarrowTransaction, { workflowId, tenantId, secretHash }: Hook): Promise<void> {
    const stored = await tx.query(STORE_HOOK, [workflowId, tenantId, secretHash]);
    if (stored.length === 0) throw new Error(`The hook of the workflow ${workflowId} belongs to another tenant`);
  }

  async delete(tx: NarrowTransaction, workflowIds: readonly string[]): Promise<void> {
    await tx.repository(Hook).delete({ workflowId: In(workflowIds) });
  }

  async insertSecret(tx: TenantTransaction, workflowId: string, sealed: Buffer): Promise<void> {
    await tx.repository(HookSecret).insert({ workflowId, sealed });
  }

  async deleteSecret(tx: TenantTransaction, workflowId: string): Promise<void> {
    await tx.repository(HookSecret).delete({ tenantId: tx.tenantId, workflowId });
  }

  /** Those of the workflows that have a hook. */
  async listSecrets(tx: TenantTransaction, workflowIds: readonly string[]): Promise<HookSecret[]> {
    if (workflowIds.length === 0) return [];
    return tx.repository(HookSecret).findBy({ tenantId: tx.tenantId, workflowId: In(workflowIds) });
  }
}
