import { PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { WorkflowRepository } from './workflow.repository.js';

/** Limits how many workflows a tenant has, and thereby how many runs a single event can start. */
@Injectable()
export class WorkflowLimit {
  private readonly limit: number;

  constructor(
    private readonly workflows: WorkflowRepository,
    @Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig,
  ) {
    this.limit = config.workflowsPerTenant;
  }

  /**
   * Checks before workflows are added, in a transaction that holds the tenant's lock, so that the number cannot change
   * meanwhile. A tenant above a limit that was lowered keeps its workflows and may replace them.
   * @param added how many are about to be added
   * @param removed how many are about to be removed in the same transaction
   * @throws WORKFLOW_LIMIT_EXCEEDED
   */
  async check(tx: TenantTransaction, added: number, removed = 0): Promise<void> {
    if (added <= removed) return;
    const present = await this.workflows.count(tx);
    if (present - removed + added <= this.limit) return;
    throw new PlatformError(
      'WORKFLOW_LIMIT_EXCEEDED',
      `A workspace may have ${this.limit} workflows, those of apps included; it has ${present}`,
      { members: { limit: this.limit, present, requested: added } },
    );
  }
}
