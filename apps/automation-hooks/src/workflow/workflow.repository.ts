import { PlatformError } from '@crm/contracts';
import {
  byTenant,
  Database,
  type ReadOfEveryTenant,
  Sweeper,
  secondsFromNow,
  type TenantTransaction,
} from '@crm/database';
import type { ListPage } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import { In, type QueryDeepPartialEntity } from 'typeorm';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { type ShownWorkflow, Workflow, type WorkflowDefinition, type WorkflowOrigin } from './workflow.entity.js';

/**
 * Runs for every event; `enabled` is written out for the partial index, where TypeORM would send a parameter. $1:
 * tenant, $2: name of the event, $3: its record, null for one that tells of an erasure.
 */
export const LIST_WORKFLOWS_STARTED_BY = `
  SELECT id, definition_version AS version, app_key AS "appKey", installation_id AS "installationId", sandbox,
         granted_scopes AS "grantedScopes",
         EXISTS (SELECT FROM waiting_event WHERE tenant_id = $1) AS "eventsWait"
    FROM workflow WHERE tenant_id = $1 AND event_name = $2 AND enabled
     AND NOT EXISTS (SELECT FROM erased_record WHERE tenant_id = $1 AND record_id = $3)
   ORDER BY id`;

/** Keeps what a workflow does, before it is replaced, for its runs. $1: tenant, $2: workflow. */
const KEEP_DEFINITION = `
  INSERT INTO workflow_version (tenant_id, workflow_id, version, definition, object_names)
  SELECT tenant_id, id, definition_version, definition, object_names FROM workflow WHERE tenant_id = $1 AND id = $2`;

/** $1: tenant, $2: workflows. */
const DELETE_RATES = `DELETE FROM workflow_rate WHERE tenant_id = $1 AND workflow_id = ANY ($2::uuid[])`;

/** Definitions of all tenants that were replaced more than $2 seconds ago and have no unfinished run. $1: limit. */
const oldDefinitions: ReadOfEveryTenant = (table) => `
  SELECT tenant_id AS "tenantId", workflow_id AS "workflowId", version FROM ${table('workflow_version')} AS kept
   WHERE replaced_at < now() - make_interval(secs => $2)
     AND NOT EXISTS (SELECT 1 FROM ${table('run_queue')} AS queued
                      WHERE queued.tenant_id = kept.tenant_id AND queued.workflow_id = kept.workflow_id)
   ORDER BY replaced_at LIMIT $1`;

/** $1: tenant, $2: workflows, $3: versions. */
const DELETE_DEFINITIONS = `
  DELETE FROM workflow_version AS kept USING unnest($2::uuid[], $3::integer[]) AS old (workflow_id, version)
   WHERE kept.tenant_id = $1 AND kept.workflow_id = old.workflow_id AND kept.version = old.version
  RETURNING kept.version`;

/**
 * Newest first, with the first definitions up to $5 bytes of JSON, and of the others what runs show of them. $1: tenant, $2: id before the
 * page or null, $3: limit, $4: offset.
 */
export const LIST_WORKFLOWS = `
  SELECT id, version, name, enabled, app_key AS "appKey", installation_id AS "installationId", created_at AS "createdAt",
         updated_at AS "updatedAt", "isWhole",
         CASE WHEN "isWhole" THEN definition
              ELSE json_build_object(
                'trigger', json_strip_nulls(json_build_object('type', definition #> '{trigger,type}', 'event', definition #> '{trigger,event}')),
                'actions', (SELECT json_agg(json_strip_nulls(json_build_object('type', action -> 'type', 'key', action -> 'key')))
                              FROM json_array_elements(definition -> 'actions') AS action)) END AS definition
    FROM (SELECT *, sum(octet_length(definition::text)) OVER (ORDER BY id DESC) <= $5 AS "isWhole"
            FROM (SELECT * FROM workflow WHERE tenant_id = $1 AND ($2::uuid IS NULL OR id < $2)
                   ORDER BY id DESC LIMIT $3 OFFSET $4) AS page) AS measured
   ORDER BY id DESC`;

/** Bytes of JSON of the definitions in a list: they are written in one piece, in which nobody else has a turn. */
const MAX_PAGE_DEFINITION_BYTES = 400_000;

/** Held until the transaction ends. $1: tenant. */
const LOCK_WORKFLOWS = `SELECT pg_advisory_xact_lock(hashtextextended('workflows of ' || $1::text, 0))`;

export interface StartedWorkflow {
  readonly id: string;
  readonly version: number;
  /** The app that it belongs to; null, like its scopes, for a workflow that the tenant created. */
  readonly appKey: string | null;
  readonly installationId: string | null;
  readonly sandbox: boolean;
  readonly grantedScopes: readonly string[] | null;
  /** True when events of the tenant wait until fewer of its runs are queued. */
  readonly eventsWait: boolean;
}

/** The definition of a run, independent of later changes to its workflow. */
export type PinnedDefinition = Pick<Workflow, 'definition' | 'objectNames'>;

export interface NewWorkflow
  extends Readonly<Pick<Workflow, 'id' | 'name' | 'definition' | 'authorId' | 'objectNames'>> {
  readonly origin: WorkflowOrigin | null;
}

/** One of a page. */
export interface ListedWorkflow extends ShownWorkflow {
  readonly isWhole: boolean;
}

@Injectable()
export class WorkflowRepository {
  constructor(
    private readonly database: Database,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {}

  async insert(tx: TenantTransaction, workflow: NewWorkflow): Promise<void> {
    const { installationId = null, automationKey = null, appKey = null, sandbox = false } = workflow.origin ?? {};
    await tx
      .repository(Workflow)
      .insert({ id: workflow.id, ...changeableColumns(workflow), installationId, automationKey, appKey, sandbox });
  }

  /**
   * Replaces an app's workflow by another version's; it stays enabled or disabled, and accepted runs keep their
   * definition.
   */
  async replace(tx: TenantTransaction, workflow: NewWorkflow): Promise<void> {
    tx.issue(KEEP_DEFINITION, [tx.tenantId, workflow.id]);
    await tx.repository(Workflow).update(
      { tenantId: tx.tenantId, id: workflow.id },
      {
        ...changeableColumns(workflow),
        version: () => 'version + 1',
        definitionVersion: () => 'definition_version + 1',
        updatedAt: secondsFromNow(0),
      },
    );
  }

  async find(tx: TenantTransaction, id: string): Promise<Workflow | null> {
    return tx.repository(Workflow).findOneBy({ tenantId: tx.tenantId, id });
  }

  async listByInstallation(tx: TenantTransaction, installationId: string): Promise<Workflow[]> {
    return tx.repository(Workflow).find({ where: { tenantId: tx.tenantId, installationId }, order: { id: 'ASC' } });
  }

  async listStartedBy(
    tx: TenantTransaction,
    eventName: string,
    recordId: string | null = null,
  ): Promise<StartedWorkflow[]> {
    return tx.query<StartedWorkflow>(LIST_WORKFLOWS_STARTED_BY, [tx.tenantId, eventName, recordId]);
  }

  /**
   * Limits how many workflows a tenant has, under its lock, and thereby how many runs a single event can start. A tenant
   * above a lowered limit keeps and may replace its workflows.
   * @param removed how many the same transaction removes
   * @throws WORKFLOW_LIMIT_EXCEEDED
   */
  async assertWithinLimit(tx: TenantTransaction, added: number, removed = 0): Promise<void> {
    if (added <= removed) return;
    const limit = this.config.workflowsPerTenant;
    const present = await this.count(tx);
    if (present - removed + added <= limit) return;
    throw new PlatformError(
      'WORKFLOW_LIMIT_EXCEEDED',
      `A workspace can have ${limit} workflows, including those of its apps. This one has ${present}`,
      { members: { limit, present, requested: added } },
    );
  }

  private async count(tx: TenantTransaction): Promise<number> {
    return tx.repository(Workflow).countBy({ tenantId: tx.tenantId });
  }

  /** Newest first. */
  async list(tx: TenantTransaction, page: ListPage): Promise<{ workflows: ListedWorkflow[]; counted: number }> {
    const parameters = [tx.tenantId, page.after?.id ?? null, page.limit, page.offset, MAX_PAGE_DEFINITION_BYTES];
    const [workflows, counted] = await Promise.all([
      tx.query<ListedWorkflow>(LIST_WORKFLOWS, parameters),
      this.count(tx),
    ]);
    return { workflows, counted };
  }

  /** @returns the workflow as it is now; null when there is none */
  async setEnabled(tx: TenantTransaction, id: string, enabled: boolean): Promise<Workflow | null> {
    const change = { enabled, version: () => 'version + 1', updatedAt: secondsFromNow(0) };
    await tx.repository(Workflow).update({ tenantId: tx.tenantId, id }, change);
    return this.find(tx, id);
  }

  async delete(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    tx.issue(DELETE_RATES, [tx.tenantId, ids]);
    await tx.repository(Workflow).delete({ tenantId: tx.tenantId, id: In(ids) });
  }

  /** @returns how many were deleted; fewer than the limit when no more are there */
  async sweepDefinitions(limit: number, olderThanSeconds: number): Promise<number> {
    const { everyTenant } = this.database;
    const old = await everyTenant.read<{ tenantId: string; workflowId: string; version: number }>(oldDefinitions, [
      limit,
      olderThanSeconds,
    ]);
    const deletions = byTenant(old).map(([tenantId, definitions]) => [
      tenantId,
      definitions.map(({ workflowId }) => workflowId),
      definitions.map(({ version }) => version),
    ]);
    return (await everyTenant.call(DELETE_DEFINITIONS, deletions)).length;
  }

  /** Lets no other transaction add workflows to the tenant, or provision for one of its installations, meanwhile. */
  async lockTenant(tx: TenantTransaction): Promise<void> {
    await tx.query(LOCK_WORKFLOWS, [tx.tenantId]);
  }
}

/** The columns that another version of a package changes. */
const changeableColumns = ({ name, definition, authorId, origin, objectNames }: NewWorkflow) => ({
  name,
  // TypeORM's type loses the union of actions.
  definition: definition as QueryDeepPartialEntity<WorkflowDefinition>,
  triggerType: definition.trigger.type,
  eventName: definition.trigger.type === 'event' ? definition.trigger.event : null,
  authorId,
  grantedScopes: origin && [...origin.grantedScopes],
  objectNames,
});

const SWEEP_INTERVAL_MS = 3_600_000;
const SWEEP_BATCH = 1_000;
/** Longer than the transaction of a run that is being accepted with the definition, and not yet to be seen in the queue. */
const KEPT_SECONDS = 3_600;

@Injectable()
export class DefinitionSweeper extends Sweeper {
  constructor(private readonly workflows: WorkflowRepository) {
    super({ everyMs: SWEEP_INTERVAL_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    let deleted = SWEEP_BATCH;
    while (deleted >= SWEEP_BATCH && !stopping.aborted) {
      deleted = await this.workflows.sweepDefinitions(SWEEP_BATCH, KEPT_SECONDS);
    }
  }
}
