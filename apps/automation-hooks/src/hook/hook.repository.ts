import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Hook, HookSecret } from './hook.entity.js';

/**
 * Stores a hook or replaces its secrets; no row when it belongs to another tenant. $1: workflow, $2: tenant, $3: hash.
 */
const STORE_HOOK = `
  INSERT INTO hook (workflow_id, tenant_id, secret_hash) VALUES ($1, $2, $3)
  ON CONFLICT (workflow_id) DO UPDATE SET
    secret_hash = EXCLUDED.secret_hash, secret_created_at = now(), secret_last_used_at = NULL,
    previous_secret_hash = NULL, previous_secret_created_at = NULL, previous_secret_last_used_at = NULL,
    previous_valid_until = NULL
    WHERE hook.tenant_id = EXCLUDED.tenant_id
  RETURNING workflow_id`;

/** What administrators are shown; no row for a workflow without a hook. $1: workflow, $2: tenant, $3: sealed secret. */
const SHOW_HOOK_SECRET = `
  UPDATE hook_secret SET sealed = $3 WHERE tenant_id = $2 AND workflow_id = $1 RETURNING workflow_id`;

/** Replaces the hash of a secret; the previous one stays valid for $4 seconds. $1: workflow, $2: tenant, $3: hash. */
const ROTATE_HOOK_SECRET = `
  UPDATE hook SET
    previous_secret_hash = CASE WHEN $4::float8 > 0 THEN secret_hash END,
    previous_secret_created_at = CASE WHEN $4::float8 > 0 THEN secret_created_at END,
    previous_secret_last_used_at = CASE WHEN $4::float8 > 0 THEN secret_last_used_at END,
    previous_valid_until = CASE WHEN $4::float8 > 0 THEN now() + make_interval(secs => $4::float8) END,
    secret_hash = $3, secret_created_at = now(), secret_last_used_at = NULL
   WHERE workflow_id = $1 AND tenant_id = $2
  RETURNING previous_valid_until AS "previousValidUntil"`;

/** Ends the secret before the present one; no row when none is valid. $1: workflow, $2: tenant. */
const END_PREVIOUS_HOOK_SECRET = `
  UPDATE hook SET previous_secret_hash = NULL, previous_valid_until = now()
   WHERE workflow_id = $1 AND tenant_id = $2 AND previous_valid_until > now()
  RETURNING workflow_id`;

/** The hash by which a call is recognised (`hook`), and the sealed secret for administrators (`hook_secret`). */
@Injectable()
export class HookRepository {
  /** @throws Error when another tenant has a hook of this workflow */
  async store(
    tx: NarrowTransaction,
    { workflowId, tenantId, secretHash }: Pick<Hook, 'workflowId' | 'tenantId' | 'secretHash'>,
  ): Promise<void> {
    const stored = await tx.query(STORE_HOOK, [workflowId, tenantId, secretHash]);
    if (stored.length === 0) throw new Error(`The hook of the workflow ${workflowId} belongs to another tenant`);
  }

  /**
   * Replaces a secret, both its hash and its sealed text.
   * @returns until when the previous secret is valid; undefined for a workflow without a hook
   */
  async rotate(
    tx: NarrowTransaction,
    { workflowId, tenantId, secretHash }: Pick<Hook, 'workflowId' | 'tenantId' | 'secretHash'>,
    sealed: Buffer,
    overlapSeconds: number,
  ): Promise<Date | null | undefined> {
    const shown = await tx.query(SHOW_HOOK_SECRET, [workflowId, tenantId, sealed]);
    if (shown.length === 0) return undefined;
    const parameters = [workflowId, tenantId, secretHash, overlapSeconds];
    const [row] = await tx.query<Pick<Hook, 'previousValidUntil'>>(ROTATE_HOOK_SECRET, parameters);
    return row?.previousValidUntil;
  }

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

  /** Skips workflows without a hook. */
  async listSecrets(tx: TenantTransaction, workflowIds: readonly string[]): Promise<HookSecret[]> {
    if (workflowIds.length === 0) return [];
    return tx.repository(HookSecret).findBy({ tenantId: tx.tenantId, workflowId: In(workflowIds) });
  }
}
