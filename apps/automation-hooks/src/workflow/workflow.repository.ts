import { type NarrowTransaction, secondsFromNow, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { In, LessThan, type QueryDeepPartialEntity } from 'typeorm';
import { Workflow, type WorkflowOrigin } from './workflow.entity.js';
import {
  DELETE_RATES,
  KEEP_DEFINITION,
  LIST_WORKFLOWS_STARTED_BY,
  LOCK_WORKFLOWS,
  SET_WORKFLOW_ENABLED,
  SWEEP_DEFINITIONS,
} from './workflow.sql.js';
import type { WorkflowDefinition } from './workflow-definition.js';

export interface StartedWorkflow {
  readonly id: string;
  /** Of its definition. */
  readonly version: number;
  /** The app that it belongs to; null, like its scopes, for a workflow that the tenant created. */
  readonly appKey: string | null;
  readonly grantedScopes: readonly string[] | null;
}

/** What a run does: not changed by what becomes of its workflow. */
export type PinnedDefinition = Pick<Workflow, 'definition' | 'objectNames'>;

/** What the author or the package says of a workflow. */
export interface NewWorkflow
  extends Readonly<Pick<Workflow, 'id' | 'name' | 'definition' | 'authorId' | 'objectNames'>> {
  readonly origin: WorkflowOrigin | null;
}

@Injectable()
export class WorkflowRepository {
  async insert(tx: TenantTransaction, workflow: NewWorkflow): Promise<void> {
    const { installationId = null, automationKey = null, appKey = null } = workflow.origin ?? {};
    await tx
      .repository(Workflow)
      .insert({ id: workflow.id, ...changeableColumns(workflow), installationId, automationKey, appKey });
  }

  /**
   * Gives an app's workflow the form of another version of the package; whether it is enabled does not change. Runs that
   * were accepted before keep to the definition that they were accepted with.
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

  /** @returns null when there is none */
  async find(tx: TenantTransaction, id: string): Promise<Workflow | null> {
    return tx.repository(Workflow).findOneBy({ tenantId: tx.tenantId, id });
  }

  async listByInstallation(tx: TenantTransaction, installationId: string): Promise<Workflow[]> {
    return tx.repository(Workflow).find({ where: { tenantId: tx.tenantId, installationId }, order: { id: 'ASC' } });
  }

  /** The enabled workflows that the event starts. */
  async listStartedBy(tx: TenantTransaction, eventName: string): Promise<StartedWorkflow[]> {
    return tx.query<StartedWorkflow>(LIST_WORKFLOWS_STARTED_BY, [tx.tenantId, eventName]);
  }

  /** All of the tenant, those of apps and disabled ones included; their number is limited. */
  async count(tx: TenantTransaction): Promise<number> {
    return tx.repository(Workflow).countBy({ tenantId: tx.tenantId });
  }

  /** Newest first. */
  async list(tx: TenantTransaction, page: ListPage): Promise<{ workflows: Workflow[]; counted: number }> {
    const [workflows, counted] = await Promise.all([
      tx.repository(Workflow).find({
        where: { tenantId: tx.tenantId, ...(page.after && { id: LessThan(page.after.id) }) },
        order: { id: 'DESC' },
        take: page.limit,
        skip: page.offset,
      }),
      this.count(tx),
    ]);
    return { workflows, counted };
  }

  /** @returns the workflow as it is now; null when there is none */
  async setEnabled(tx: TenantTransaction, id: string, enabled: boolean): Promise<Workflow | null> {
    const [row] = await tx.query(SET_WORKFLOW_ENABLED, [tx.tenantId, id, enabled]);
    return row ? tx.repository(Workflow).create(row) : null;
  }

  async delete(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    tx.issue(DELETE_RATES, [tx.tenantId, ids]);
    await tx.repository(Workflow).delete({ tenantId: tx.tenantId, id: In(ids) });
  }

  /** @returns how many replaced definitions without unfinished runs were deleted, `limit` at most */
  async sweepDefinitions(tx: NarrowTransaction, limit: number, olderThanSeconds: number): Promise<number> {
    const [row] = await tx.query<{ deleted: number }>(SWEEP_DEFINITIONS, [limit, olderThanSeconds]);
    return row?.deleted ?? 0;
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
