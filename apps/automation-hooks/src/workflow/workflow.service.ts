import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, mapList, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { HookService } from '../hook/hook.service.js';
import { AcceptedRunsService } from './accepted-runs.service.js';
import { isAdministrator } from './administrator.js';
import {
  type CreatedWorkflowView,
  type CreateWorkflowInput,
  toWorkflowView,
  type WorkflowView,
} from './workflow.dto.js';
import type { Workflow } from './workflow.entity.js';
import { WorkflowRepository } from './workflow.repository.js';
import { WorkflowLimit } from './workflow-limit.js';
import { readDefinition } from './workflow-validation.js';

/** Workflows that tenants create. Those of apps come and go with installations: workflow-provisioning.service.ts. */
@Injectable()
export class WorkflowService {
  constructor(
    private readonly database: Database,
    private readonly workflows: WorkflowRepository,
    private readonly limit: WorkflowLimit,
    private readonly hooks: HookService,
    private readonly outside: OutsideClient,
    private readonly acceptedRuns: AcceptedRunsService,
  ) {}

  /** @throws WORKFLOW_INVALID, WORKFLOW_LIMIT_EXCEEDED */
  async create(principal: Principal, input: CreateWorkflowInput): Promise<CreatedWorkflowView> {
    const definition = readDefinition(input, this.outside);
    const id = newId();
    return this.database.transaction(principal.tenantId, async (tx) => {
      await this.workflows.lockTenant(tx);
      await this.limit.check(tx, 1);
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
    return mapList(listAnswer(workflows, page, counted, idPosition), (workflow) => toWorkflowView(workflow, inFull));
  }

  /** @throws NOT_FOUND */
  async get(principal: Principal, id: string): Promise<WorkflowView> {
    const workflow = await this.database.transaction(principal.tenantId, (tx) => this.lookUp(tx, id));
    return toWorkflowView(workflow, isAdministrator(principal));
  }

  /**
   * Enables or disables a workflow. A disabled one accepts no calls and no events; the runs that it has accepted are finished.
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
   * Deletes a workflow and cancels the runs that it has accepted and that have not ended.
   * @throws NOT_FOUND; CONFLICT for a workflow that belongs to an installed app
   */
  async delete(principal: Principal, id: string): Promise<void> {
    await this.database.transaction(principal.tenantId, async (tx) => {
      const { origin } = await this.lookUp(tx, id);
      if (origin) throw new PlatformError('CONFLICT', 'The workflow belongs to an installed app; disable it instead');
      await this.workflows.delete(tx, [id]);
    });
    await this.hooks.forget([id]);
    await this.acceptedRuns.cancel(principal.tenantId, [id]);
  }

  private async lookUp(tx: TenantTransaction, id: string): Promise<Workflow> {
    const workflow = await this.workflows.find(tx, id);
    if (!workflow) throw new PlatformError('NOT_FOUND');
    return workflow;
  }
}
