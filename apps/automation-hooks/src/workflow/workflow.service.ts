import type { Principal } from '@crm/access';
import { PlatformError, rolesAllow } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, mapList, parsePage } from '@crm/http';
import { Injectable, Logger } from '@nestjs/common';
import { HookService } from '../hook/hook.service.js';
import {
  type CreatedWorkflowView,
  type CreateWorkflowInput,
  toWorkflowView,
  type WorkflowView,
} from './workflow.dto.js';
import type { Workflow } from './workflow.entity.js';
import { WorkflowRepository } from './workflow.repository.js';
import { readDefinition } from './workflow-validation.js';

/**
 * Returns whether the principal may create workflows and see them in full, with payloads of runs: only in an administrator's
 * own session, never with an app's or embed token or an API key.
 */
export const isAdministrator = (principal: Principal): boolean =>
  principal.kind === 'user' && principal.apiKeyId === undefined && rolesAllow(principal.roles, 'administer');

/** $1: tenant, $2: workflows, $3: most runs, $4: error code, $5: error detail. */
const CANCEL_RUNS = 'SELECT cancel_runs($1, $2, $3, $4, $5) AS cancelled';

const BATCH = 1_000;

export const WORKFLOW_DELETED = { code: 'WORKFLOW_DELETED', detail: 'The workflow was deleted' } as const;

/** Runs depend on workflows and not the other way round, so the statement that cancels them is here. */
@Injectable()
export class DeletedWorkflowsService {
  private readonly logger = new Logger(DeletedWorkflowsService.name);

  constructor(
    private readonly database: Database,
    private readonly hooks: HookService,
  ) {}

  /**
   * Forgets hooks and cancels unfinished runs after the deletion; a run under way ends after its current step. A failure
   * is only logged: a worker that claims a run without a workflow cancels it too.
   */
  async forget(tenantId: string, workflowIds: readonly string[]): Promise<void> {
    if (workflowIds.length === 0) return;
    await this.hooks.forget(workflowIds);
    const { code, detail } = WORKFLOW_DELETED;
    try {
      for (let cancelled = BATCH; cancelled === BATCH; ) {
        cancelled = await this.database.transaction(tenantId, async (tx) => {
          const parameters = [tx.tenantId, workflowIds, BATCH, code, detail];
          const [row] = await tx.query<{ cancelled: number }>(CANCEL_RUNS, parameters);
          return row?.cancelled ?? 0;
        });
      }
    } catch (error) {
      this.logger.warn({ msg: 'Runs of deleted workflows are cancelled when they are due', workflowIds, err: error });
    }
  }
}

/** Workflows that tenants create. Those of apps come and go with installations: workflow-provisioning.service.ts. */
@Injectable()
export class WorkflowService {
  constructor(
    private readonly database: Database,
    private readonly workflows: WorkflowRepository,
    private readonly hooks: HookService,
    private readonly outside: OutsideClient,
    private readonly deleted: DeletedWorkflowsService,
  ) {}

  /** @throws WORKFLOW_INVALID, WORKFLOW_LIMIT_EXCEEDED */
  async create(principal: Principal, input: CreateWorkflowInput): Promise<CreatedWorkflowView> {
    const definition = readDefinition(input, this.outside);
    const id = newId();
    return this.database.transaction(principal.tenantId, async (tx) => {
      await this.workflows.lockTenant(tx);
      await this.workflows.assertWithinLimit(tx, 1);
      const { name } = input;
      await this.workflows.insert(tx, {
        id,
        name,
        definition,
        authorId: principal.userId,
        origin: null,
        objectNames: {},
      });
      const hookUrl = definition.trigger.type === 'webhook_received' ? await this.hooks.issue(tx, id) : undefined;
      return { ...toWorkflowView(await this.lookUp(tx, id), true), ...(hookUrl && { hookUrl }) };
    });
  }

  /** Newest first. */
  async list(principal: Principal, query: ListQuery): Promise<ListAnswer<WorkflowView>> {
    const { tenantId } = principal;
    const page = parsePage(query, { tenantId, list: 'workflows' });
    const { workflows, counted } = await this.database.transaction(tenantId, (tx) => this.workflows.list(tx, page));
    const inFull = isAdministrator(principal);
    return mapList(listAnswer(workflows, page, counted, idPosition), ({ isWhole, ...workflow }) =>
      toWorkflowView(workflow, inFull && isWhole),
    );
  }

  /** @throws NOT_FOUND */
  async get(principal: Principal, id: string): Promise<WorkflowView> {
    const workflow = await this.database.transaction(principal.tenantId, (tx) => this.lookUp(tx, id));
    return toWorkflowView(workflow, isAdministrator(principal));
  }

  /**
   * A disabled workflow accepts no calls and events; accepted runs are finished.
   * @throws NOT_FOUND
   */
  async setEnabled(principal: Principal, id: string, enabled: boolean): Promise<WorkflowView> {
    const workflow = await this.database.transaction(principal.tenantId, (tx) =>
      this.workflows.setEnabled(tx, id, enabled),
    );
    if (!workflow) throw new PlatformError('NOT_FOUND');
    return toWorkflowView(workflow, true);
  }

  /**
   * Deletes a workflow and cancels its unfinished runs.
   * @throws NOT_FOUND; CONFLICT for a workflow of an installed app
   */
  async delete(principal: Principal, id: string): Promise<void> {
    await this.database.transaction(principal.tenantId, async (tx) => {
      const { origin } = await this.lookUp(tx, id);
      if (origin) throw new PlatformError('CONFLICT', 'The workflow belongs to an installed app. Disable it instead');
      await this.workflows.delete(tx, [id]);
    });
    await this.deleted.forget(principal.tenantId, [id]);
  }

  private async lookUp(tx: TenantTransaction, id: string): Promise<Workflow> {
    const workflow = await this.workflows.find(tx, id);
    if (!workflow) throw new PlatformError('NOT_FOUND');
    return workflow;
  }
}
