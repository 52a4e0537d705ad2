import { PlatformError, rpc, type TenantView } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Rpc } from './rpc/rpc.js';

/** How long settings that only affect values (zone, country) may be out of date, in milliseconds. */
const KEPT_MS = 60_000;
/** How long identity is not asked again after it has not answered, in milliseconds. */
const PAUSE_MS = 5_000;
const KEPT_TENANTS = 10_000;

/** The tenants' name, zone, country and plan, which identity stores. A service that needs it adds it to its providers. */
@Injectable()
export class TenantDirectory {
  private readonly kept = new LRUCache<string, TenantView>({
    max: KEPT_TENANTS,
    ttl: KEPT_MS,
    noDeleteOnStaleGet: true,
    perf: Date,
    // Who waits for a call gets its answer, also when getCurrent has written another one or the entry was evicted meanwhile.
    ignoreFetchAbort: true,
    // Requests of the same tenant wait for one call.
    fetchMethod: async (tenantId, known, { options }) => {
      try {
        return await this.ask(tenantId);
      } catch (error) {
        // Zone and country hardly ever change: with older ones records stay readable while identity is away.
        if (known === undefined || !(error instanceof PlatformError) || error.status < 500) throw error;
        options.ttl = PAUSE_MS;
        return known;
      }
    },
  });

  constructor(private readonly rpc: Rpc) {}

  /** At most a minute old, or the last known while identity does not answer. @throws SERVICE_UNAVAILABLE otherwise */
  async get(tenantId: string): Promise<TenantView> {
    return this.kept.get(tenantId) ?? ((await this.kept.fetch(tenantId)) as TenantView);
  }

  /** For checking limits of its plan. @throws SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED when identity does not answer */
  async getCurrent(tenantId: string): Promise<TenantView> {
    const tenant = await this.ask(tenantId);
    this.kept.set(tenantId, tenant);
    return tenant;
  }

  private ask(tenantId: string): Promise<TenantView> {
    return this.rpc.call(rpc.identity.getTenant, { tenantId });
  }
}
