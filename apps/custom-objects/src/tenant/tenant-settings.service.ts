import { rpc, type TenantView } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

/** How long settings that only shape values (zone, country) may be stale, in milliseconds. */
const SETTINGS_TTL_MS = 60_000;
/** Tenants whose settings are kept; the oldest goes first. */
const SETTINGS_KEPT = 10_000;

/** The tenant's zone, country and plan, which identity owns. */
@Injectable()
export class TenantSettingsService {
  private readonly kept = new Map<string, { settings: TenantView; until: number }>();

  constructor(private readonly rpc: Rpc) {}

  /** Settings for computing and presenting values; up to a minute old. */
  async settings(tenantId: string): Promise<TenantView> {
    const known = this.kept.get(tenantId);
    if (known && known.until > Date.now()) return known.settings;
    return this.fresh(tenantId);
  }

  /** Settings as they are now; a plan's limit is judged on these. */
  async fresh(tenantId: string): Promise<TenantView> {
    const settings = await this.rpc.call(rpc.identity.getTenant, { tenantId });
    this.kept.delete(tenantId);
    this.kept.set(tenantId, { settings, until: Date.now() + SETTINGS_TTL_MS });
    if (this.kept.size > SETTINGS_KEPT) {
      const oldest = this.kept.keys().next().value;
      if (oldest !== undefined) this.kept.delete(oldest);
    }
    return settings;
  }
}
