import type { Principal } from '@crm/access';
import { PlatformError, rpc, type TenantView } from '@crm/contracts';
import { DAY_SECONDS, Database, takeQuota } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { MARKETPLACE_CONFIG, type MarketplaceConfig } from '../config.js';

/**
 * How often a publisher has the suite run in a day: it resolves host names and is the costliest call of the service, and every
 * submission is work for an operator. Taken before the suite runs, so that failures count as well.
 */
@Injectable()
export class PublisherQuota {
  constructor(
    private readonly database: Database,
    private readonly rpc: Rpc,
    @Inject(MARKETPLACE_CONFIG) private readonly config: MarketplaceConfig,
  ) {}

  /** @throws PlatformError RATE_LIMITED */
  async takeCertification(principal: Principal): Promise<void> {
    await this.take(await this.publisher(principal), 'certifications');
  }

  /**
   * @returns the publisher
   * @throws PlatformError EMAIL_NOT_VERIFIED, RATE_LIMITED
   */
  async takeSubmission(principal: Principal): Promise<TenantView> {
    const publisher = await this.publisher(principal);
    if (publisher.verified === false) {
      throw new PlatformError('EMAIL_NOT_VERIFIED', "Verify the workspace's email address first");
    }
    await this.take(publisher, 'submissions');
    return publisher;
  }

  private publisher(principal: Principal): Promise<TenantView> {
    return this.rpc.call(rpc.identity.getTenant, { tenantId: principal.tenantId }, principal);
  }

  private async take({ id, plan }: TenantView, what: 'certifications' | 'submissions'): Promise<void> {
    const limit = this.config.quotas[what][plan];
    await this.database.transaction(id, (tx) =>
      takeQuota(tx, id, { name: what, limit, windowSeconds: DAY_SECONDS, what }),
    );
  }
}
