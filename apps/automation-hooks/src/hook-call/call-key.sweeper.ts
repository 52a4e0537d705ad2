import { byTenant, Database, type ReadOfEveryTenant, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { KEY_LIFETIME } from './hook-call.repository.js';

/** Keys that are too old to be repeated, the oldest first, of all tenants. $1: limit. */
const oldKeys: ReadOfEveryTenant = (table) => `
  SELECT tenant_id AS "tenantId", workflow_id AS "workflowId", key_hash AS "keyHash" FROM ${table('hook_call_key')}
   WHERE created_at <= now() - ${KEY_LIFETIME} ORDER BY created_at LIMIT $1`;

/** Deletes those of the keys that are too old still. $1: tenant, $2: workflows, $3: keys. */
const DELETE_OLD_KEYS = `
  DELETE FROM hook_call_key AS call USING unnest($2::uuid[], $3::bytea[]) AS old (workflow_id, key_hash)
   WHERE call.tenant_id = $1 AND call.workflow_id = old.workflow_id AND call.key_hash = old.key_hash
     AND call.created_at <= now() - ${KEY_LIFETIME}
  RETURNING call.workflow_id`;

const SWEEP_INTERVAL_MS = 3_600_000;
const SWEEP_BATCH = 1_000;

/** Deletes the keys of hook calls that are no longer recognised. */
@Injectable()
export class HookCallKeySweeper extends Sweeper {
  constructor(private readonly database: Database) {
    super({ everyMs: SWEEP_INTERVAL_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    let deleted = SWEEP_BATCH;
    while (deleted >= SWEEP_BATCH && !stopping.aborted) deleted = await this.sweepSome(SWEEP_BATCH);
  }

  /** @returns how many were deleted; fewer than the limit when no more are there */
  async sweepSome(limit: number): Promise<number> {
    const { everyTenant } = this.database;
    const old = await everyTenant.read<{ tenantId: string; workflowId: string; keyHash: Buffer }>(oldKeys, [limit]);
    const deletions = byTenant(old).map(([tenantId, keys]) => [
      tenantId,
      keys.map(({ workflowId }) => workflowId),
      keys.map(({ keyHash }) => keyHash),
    ]);
    return (await everyTenant.call(DELETE_OLD_KEYS, deletions)).length;
  }
}
