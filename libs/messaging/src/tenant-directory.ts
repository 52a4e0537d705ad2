import { rpc, type TenantView } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Rpc } from './rpc/rpc.js';

/** How long what only shapes values (zone, country) may be out of date, in milliseconds. */
const KEPT_MS = 60_000;
const KEPT_TENANTS = 10_000;

/** The tenants' name, zone, country and plan, which identity keeps. A service that needs it lists it in its providers. */
@Injectable()
export class TenantDirectory {
  private readonly kept = new LRUCache<string, TenantView>({ max: KEPT_TENANTS, ttl: KEPT_MS });

  constructor(private readonly rpc: Rpc) {}

  /**
   * A tenant as it was at most a minute ago.
   * @throws SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED when identity does not answer and nothing fresh is kept
   */
  async get(tenantId: string): Promise<TenantView> {
    return this.kept.get(tenantId) ?? this.getCurrent(tenantId);
  }

  /**
   * A tenant as it is now; a limit of its plan is judged by this.
   * @throws SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED when identity does not answer
   */
  async getCurrent(tenantId: string): Promise<TenantView> {
    const tenant = await this.rpc.call(rpc.identity.getTenant, { tenantId });
    this.kept.set(tenantId, tenant);
    return tenant;
  }
}
