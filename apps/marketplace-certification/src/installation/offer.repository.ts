import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { OfferedApp, OfferedVersion } from './offer.js';

/** Apps and versions as an install looks at them. */
@Injectable()
export class OfferRepository {
  async find(tx: NarrowTransaction, appKey: string): Promise<OfferedApp | undefined> {
    const [app] = await tx.query<Omit<OfferedApp, 'versions'>>(
      `select tenant_id as "tenantId", visibility, first_published_at is not null as "everPublished"
       from app where key = $1`,
      [appKey],
    );
    if (!app) return undefined;
    const versions = await tx.query<OfferedVersion>('select id, version, status from app_version where app_key = $1', [
      appKey,
    ]);
    return { ...app, versions };
  }
}
