import { type RpcResponse, rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

type TenantView = RpcResponse<typeof rpc.identity.getTenant>;

/** How long a tenant's settings are kept, in milliseconds: a change of country is noticed after a minute. */
const KEPT_MS = 60_000;
/** Settings of so many tenants are kept; the ones asked for longest ago go first. */
const KEPT_TENANTS = 10_000;

/** The tenants' settings, which identity keeps. */
@Injectable()
export class TenantDirectory {
  private readonly kept = new Map<string, { view: TenantView; until: number }>();

  constructor(private readonly rpc: Rpc) {}

  /** @throws SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED when identity does not answer and nothing fresh is kept */
  async get(tenantId: string): Promise<TenantView> {
    const known = this.kept.get(tenantId);
    if (known && known.until > Date.now()) return known.view;
    const view = await this.rpc.call(rpc.identity.getTenant, { tenantId });
    this.kept.delete(tenantId);
    this.kept.set(tenantId, { view, until: Date.now() + KEPT_MS });
    if (this.kept.size > KEPT_TENANTS) this.kept.delete(this.kept.keys().next().value as string);
    return view;
  }
}
