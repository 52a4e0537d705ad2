import { PlatformError } from '@crm/contracts';
import { Sweeper } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { RunQueueRepository } from './run-queue.repository.js';

const MEASURE_MS = 1_000;
/** Seconds after which a refused caller comes again. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Which tenants have as many runs queued as they may, or events that wait for a slot. Measured and not counted: a counter
 * would be a row that every call and every end of a run locks. Until the next measurement a tenant may queue more.
 */
@Injectable()
export class RunBacklog extends Sweeper {
  private full: ReadonlySet<string> = new Set();
  /** For which this process has queued something since it measured. */
  private readonly queued = new Set<string>();

  constructor(
    private readonly queue: RunQueueRepository,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {
    super({ everyMs: MEASURE_MS });
  }

  /** Call it for a tenant whose queue has grown. */
  note(tenantId: string): void {
    this.queued.add(tenantId);
  }

  isFull(tenantId: string): boolean {
    return this.full.has(tenantId);
  }

  fullTenants(): string[] {
    return [...this.full];
  }

  /** How many runs a tenant may still queue. */
  async freeSlotsOf(tenantId: string): Promise<number> {
    const { queuedPerTenant } = this.config.runs;
    const [tenant] = await this.queue.measure([tenantId], queuedPerTenant);
    return queuedPerTenant - (tenant?.queued ?? 0);
  }

  async sweep(): Promise<void> {
    const asked = [...new Set([...this.queued, ...this.full])];
    this.queued.clear();
    if (asked.length === 0) return;
    const { queuedPerTenant } = this.config.runs;
    const full = new Set<string>();
    for (const { tenantId, queued, eventsWait } of await this.queue.measure(asked, queuedPerTenant)) {
      if (queued < queuedPerTenant && !eventsWait) continue;
      full.add(tenantId);
      if (!this.full.has(tenantId)) this.logger.warn({ msg: 'A tenant has as many runs queued as it may', tenantId });
    }
    this.full = full;
  }

  refusal(): PlatformError {
    const detail = `The workspace has reached its limit of ${this.config.runs.queuedPerTenant} queued runs`;
    return new PlatformError('RATE_LIMITED', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
