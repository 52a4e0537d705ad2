import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@crm/access';
import { type FieldProblem, PlatformError, type ProvisionedHook, type RpcRequest, type rpc } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { Injectable } from '@nestjs/common';
import { HookService } from '../hook/hook.service.js';
import type { Workflow } from './workflow.entity.js';
import { type NewWorkflow, WorkflowRepository } from './workflow.repository.js';
import { DeletedWorkflowsService } from './workflow.service.js';
import { readDefinition, type TargetPolicy } from './workflow-validation.js';

type Provisioning = RpcRequest<typeof rpc.automations.provisionWorkflows>;

@Injectable()
export class WorkflowProvisioningService {
  constructor(
    private readonly database: Database,
    private readonly workflows: WorkflowRepository,
    private readonly hooks: HookService,
    private readonly outside: OutsideClient,
    private readonly deleted: DeletedWorkflowsService,
  ) {}

  /**
   * Makes the workflows of an installation match the package, all or none. Existing ones keep their hook URL.
   * @throws WORKFLOW_INVALID with a problem for each mistake; WORKFLOW_LIMIT_EXCEEDED
   */
  async provision(principal: Principal, request: Provisioning): Promise<ProvisionedHook[]> {
    const wanted = readAutomations(principal, request, this.outside);
    const { hooks, obsolete } = await this.database.transaction(principal.tenantId, async (tx) => {
      await this.workflows.lockTenant(tx);
      const present = await this.workflows.listByInstallation(tx, request.installationId);
      const keys = new Set(wanted.map((workflow) => workflow.origin?.automationKey));
      const obsolete = present.filter((workflow) => !keys.has(workflow.origin?.automationKey)).map(({ id }) => id);
      const added = wanted.length - (present.length - obsolete.length);
      await this.workflows.assertWithinLimit(tx, added, obsolete.length);
      await this.workflows.delete(tx, obsolete);
      for (const workflow of wanted) {
        const old = present.find(({ origin }) => origin?.automationKey === workflow.origin?.automationKey);
        await this.put(tx, workflow, old);
      }
      return { hooks: await this.revealAll(tx, request.installationId), obsolete };
    });
    await this.deleted.forget(principal.tenantId, obsolete);
    return hooks;
  }

  /** @returns how many were removed; 0 when they were removed before */
  async remove(tenantId: string, installationId: string): Promise<number> {
    const ids = await this.database.transaction(tenantId, async (tx) => {
      await this.workflows.lockTenant(tx);
      const present = (await this.workflows.listByInstallation(tx, installationId)).map(({ id }) => id);
      await this.workflows.delete(tx, present);
      return present;
    });
    await this.deleted.forget(tenantId, ids);
    return ids.length;
  }

  async listHooks(principal: Principal, installationId: string): Promise<ProvisionedHook[]> {
    return this.database.transaction(principal.tenantId, (tx) => this.revealAll(tx, installationId));
  }

  private async put(tx: TenantTransaction, wanted: NewWorkflow, old: Workflow | undefined): Promise<void> {
    const wantsHook = wanted.definition.trigger.type === 'webhook_received';
    if (!old) {
      await this.workflows.insert(tx, wanted);
      if (wantsHook) await this.hooks.issue(tx, wanted.id);
      return;
    }
    if (!isSame(wanted, old)) await this.workflows.replace(tx, { ...wanted, id: old.id });
    const hadHook = old.definition.trigger.type === 'webhook_received';
    if (wantsHook && !hadHook) await this.hooks.issue(tx, old.id);
    if (hadHook && !wantsHook) await this.hooks.withdraw(tx, old.id);
  }

  private async revealAll(tx: TenantTransaction, installationId: string): Promise<ProvisionedHook[]> {
    const workflows = await this.workflows.listByInstallation(tx, installationId);
    const ids = workflows.map(({ id }) => id);
    const urls = await this.hooks.reveal(tx, ids);
    return workflows.flatMap(({ id, automationKey }) => {
      const url = urls.get(id);
      return url && automationKey !== null ? [{ key: automationKey, workflowId: id, url }] : [];
    });
  }
}

function isSame(wanted: NewWorkflow, old: Workflow): boolean {
  const parts = ({ name, definition, origin, objectNames }: NewWorkflow) => ({ name, definition, origin, objectNames });
  return isDeepStrictEqual(parts(wanted), parts(old));
}

/** Checks all automations before any of them is stored. */
function readAutomations(principal: Principal, request: Provisioning, policy: TargetPolicy): NewWorkflow[] {
  const problems: FieldProblem[] = [];
  const keys = new Set<string>();
  const { installationId, appKey, sandbox = false, grantedScopes, objectNames } = request;
  const read = request.automations.flatMap((automation, index): NewWorkflow[] => {
    const { key, name } = automation;
    const pointer = `/automations/${index}`;
    if (typeof key !== 'string' || key === '' || keys.has(key)) {
      const detail = 'Each automation needs its own key';
      problems.push({ pointer: `${pointer}/key`, code: 'INVALID_KEY', detail });
      return [];
    }
    keys.add(key);
    try {
      const definition = readDefinition(automation, policy, pointer);
      const origin = { installationId, appKey, sandbox, automationKey: key, grantedScopes };
      const workflow = { definition, origin, objectNames, authorId: principal.userId };
      return [{ id: newId(), name: typeof name === 'string' ? name : key, ...workflow }];
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      problems.push(...(error.extra.errors ?? []));
      return [];
    }
  });
  if (problems.length > 0) throw new PlatformError('WORKFLOW_INVALID', problems[0]?.detail, { errors: problems });
  return read;
}
