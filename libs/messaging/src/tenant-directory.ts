import { rpc, type TenantView } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Rpc } from './rpc/rpc.js';

/** How long settings that only affect values (zone, country) may be out of date, in milliseconds. */
const KEPT_MS = 60_000;
const KEPT_TENANTS = 10_000;

/** The tenants' name, zone, country and plan, which identity stores. A service that needs it adds it to its providers. */
@Injectable()
export class TenantDirectory {
  private readonly kept = new LRUCache<string, TenantView>({ max: KEPT_TENANTS, ttl: KEPT_MS });

  constructor(private readonly rpc: Rpc) {}

  /**
   * A tenant in its state of at most a minute ago.
   * @throws SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED when identity does not answer and no fresh copy is cached
   */
  async get(tenantId: string): Promise<TenantView> {
    return this.kept.get(tenantId) ?? this.getCurrent(tenantId);
  }

  /**
   * A tenant in its current state, for checking limits of its plan.
   * @throws SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED when identity does not answer
   */
  async getCurrent(tenantId: string): Promise<TenantView> {
    const tenant = await this.rpc.call(rpc.identity.getTenant, { tenantId });
    this.kept.set(tenantId, tenant);
    return tenant;
  }
}
