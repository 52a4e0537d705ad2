import type { Principal } from '@crm/access';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { isIdentifier } from '../catalogue/identifier.js';
import { InstallationRepository } from './installation.repository.js';
import { OfferService } from './offer.service.js';

/** Which apps a workspace may know. */
@Injectable()
export class KnownAppService {
  constructor(
    private readonly database: Database,
    private readonly offers: OfferService,
    private readonly installations: InstallationRepository,
  ) {}

  /** What a workspace has installed it knows also when its publisher has made it private since. */
  async isKnown({ tenantId }: Principal, appKey: string): Promise<boolean> {
    if (!isIdentifier(appKey)) return false;
    if (await this.offers.isKnown(tenantId, appKey)) return true;
    return this.database.transaction(tenantId, (tx) => this.installations.hasEver(tx, appKey));
  }
}
