import type { Principal } from '@crm/context';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { InstallationRepository } from '../installation/installation.repository.js';
import { ListingRepository } from '../listing/listing.repository.js';
import { isIdentifier } from '../submission/identifier.js';
import { storedText } from '../submission/stored-text.js';
import { RatingRepository, type Review } from './rating.repository.js';

/** Ratings come from people whose workspace has the app installed: one of each user, which they may change. */
@Injectable()
export class RatingService {
  constructor(
    private readonly database: Database,
    private readonly ratings: RatingRepository,
    private readonly listings: ListingRepository,
    private readonly installations: InstallationRepository,
  ) {}

  /** @throws PlatformError NOT_FOUND, APP_NOT_INSTALLED */
  async rate(principal: Principal, appKey: string, stars: number, text: string | undefined): Promise<Review> {
    const { tenantId, userId } = principal;
    if (!isIdentifier(appKey)) throw new PlatformError('NOT_FOUND');
    const app = await this.database.crossTenant((tx) => this.listings.find(tx, tenantId, appKey));
    if (!app) throw new PlatformError('NOT_FOUND');
    const installation = await this.database.transaction(tenantId, (tx) => this.installations.findLive(tx, appKey));
    if (installation?.state !== 'active') throw new PlatformError('APP_NOT_INSTALLED');
    return this.database.crossTenant((tx) =>
      this.ratings.save(tx, { appKey, tenantId, userId, stars, text: storedText(text ?? '', 2000).trim() || null }),
    );
  }
}
