import { PlatformError } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { WorkflowRepository } from './workflow.repository.js';

/** Keeps what a single event can set off bounded: a tenant has so many workflows and no more. */
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
   * Checks before workflows are added, in a transaction that holds the tenant's lock, so that what is counted stays true.
   * A tenant that is above a limit which was lowered keeps what it has and may exchange it.
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
      `A workspace may have ${this.limit} workflows, those of apps included; ${present} are there.`,
      { members: { limit: this.limit, present, requested: added } },
    );
  }
}
