import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Hook } from './hook.entity.js';
import { END_PREVIOUS_HOOK_SECRET, ROTATE_HOOK_SECRET, STORE_HOOK } from './hook.sql.js';
import { HookSecret } from './hook-secret.entity.js';

/** The hash by which a call is recognised (`hook`), and the sealed secret for administrators (`hook_secret`). */
@Injectable()
export class HookRepository {
  /**
   * Stores a hook, or replaces the secret of the hook that the workflow has.
   * @throws Error when another tenant has a hook of this workflow
   */
  async store(
    tx: NarrowTransaction,
    { workflowId, tenantId, secretHash }: Pick<Hook, 'workflowId' | 'tenantId' | 'secretHash'>,
  ): Promise<void> {
    const stored = await tx.query(STORE_HOOK, [workflowId, tenantId, secretHash]);
    if (stored.length === 0) throw new Error(`The hook of the workflow ${workflowId} belongs to another tenant`);
  }

  /**
   * Replaces the secret of a hook.
   * @returns until when the previous one is valid; undefined for a workflow that has no hook
   */
  async rotate(
    tx: NarrowTransaction,
    { workflowId, tenantId, secretHash }: Pick<Hook, 'workflowId' | 'tenantId' | 'secretHash'>,
    sealed: Buffer,
    overlapSeconds: number,
  ): Promise<Date | null | undefined> {
    const parameters = [workflowId, tenantId, secretHash, sealed, overlapSeconds];
    const [row] = await tx.query<Pick<Hook, 'previousValidUntil'>>(ROTATE_HOOK_SECRET, parameters);
    return row?.previousValidUntil;
  }

  /** @returns whether a previous secret was still valid */
  async endPrevious(tx: NarrowTransaction, tenantId: string, workflowId: string): Promise<boolean> {
    const ended = await tx.query(END_PREVIOUS_HOOK_SECRET, [workflowId, tenantId]);
    return ended.length === 1;
  }

  async find(tx: NarrowTransaction, tenantId: string, workflowId: string): Promise<Hook | null> {
    return tx.repository(Hook).findOneBy({ tenantId, workflowId });
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
