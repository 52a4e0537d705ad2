import { TenantShares } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';

/** Milliseconds after which an attempt is slow: it then costs a socket and nothing else. */
export const SLOW_MS = 1_000;

/**
 * Attempts that take long. They leave their places, which are few because each is work for the processor and the database,
 * to others, and wait here, where there is room for thousands.
 */
@Injectable()
export class SlowLane {
  private readonly shares: TenantShares;

  constructor(@Inject(WEBHOOK_CONFIG) { delivery }: Pick<WebhookConfig, 'delivery'>) {
    this.shares = new TenantShares(delivery.slowConcurrency);
  }

  /** @returns false when there is no room, or the tenant has its share of it */
  enter(tenantId: string): boolean {
    if (!this.shares.mayBegin(tenantId)) return false;
    this.shares.begun(tenantId);
    return true;
  }

  leave(tenantId: string): void {
    this.shares.ended(tenantId);
  }
}
