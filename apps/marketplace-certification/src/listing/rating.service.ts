import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AppRepository, isIdentifier, storedText } from '../catalogue/catalogue.repository.js';
import { InstallationRepository } from '../installation/installation.repository.js';
import type { RatingView } from './listing.dto.js';
import { RatingRepository } from './rating.repository.js';

/** Ratings come from users whose workspace has the app installed: one per user, who may change it. */
@Injectable()
export class RatingService {
  constructor(
    private readonly database: Database,
    private readonly ratings: RatingRepository,
    private readonly apps: AppRepository,
    private readonly installations: InstallationRepository,
  ) {}

  /** @throws PlatformError NOT_FOUND, APP_NOT_INSTALLED */
  async rate(principal: Principal, appKey: string, stars: number, text = ''): Promise<RatingView> {
    const { tenantId, userId } = principal;
    if (!isIdentifier(appKey)) throw new PlatformError('NOT_FOUND');
    const isVisible = await this.database.crossTenant((tx) => this.apps.isVisible(tx, tenantId, appKey));
    if (!isVisible) throw new PlatformError('NOT_FOUND');
    const installation = await this.database.transaction(tenantId, (tx) => this.installations.findLive(tx, appKey));
    if (installation?.state !== 'active') throw new PlatformError('APP_NOT_INSTALLED');
    const rating = { appKey, tenantId, userId, stars, text: storedText(text, 2000).trim() || null };
    const saved = await this.database.crossTenant((tx) => this.ratings.save(tx, rating));
    return { stars: saved.stars, text: saved.text, updatedAt: saved.updatedAt.toISOString() };
  }
}
