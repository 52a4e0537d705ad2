import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

export interface Rating {
  readonly appKey: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly stars: number;
  readonly text: string | null;
}

export interface Review {
  readonly stars: number;
  readonly text: string | null;
  readonly updatedAt: Date;
}

/** What users think of apps; their number and sum stand with the app, so that lists need not add them up. */
@Injectable()
export class RatingRepository {
  /** Writes a user's rating, or writes it anew, and keeps number and sum in step. */
  async save(tx: NarrowTransaction, rating: Rating): Promise<Review> {
    const { appKey, tenantId, userId, stars, text } = rating;
    // The app's row first: ratings of one app pass one after the other, and none is counted twice.
    await tx.query('select 1 from app where key = $1 for update', [appKey]);
    const [before] = await tx.query<{ stars: number }>(
      'select stars from rating where app_key = $1 and tenant_id = $2 and user_id = $3',
      [appKey, tenantId, userId],
    );
    const [saved] = await tx.query<Review>(
      `insert into rating (app_key, tenant_id, user_id, stars, text) values ($1, $2, $3, $4, $5)
       on conflict (app_key, tenant_id, user_id)
         do update set stars = excluded.stars, text = excluded.text, updated_at = now()
       returning stars, text, updated_at as "updatedAt"`,
      [appKey, tenantId, userId, stars, text],
    );
    await tx.query('update app set rating_count = rating_count + $2, rating_total = rating_total + $3 where key = $1', [
      appKey,
      before ? 0 : 1,
      stars - (before?.stars ?? 0),
    ]);
    return saved as Review;
  }

  /** Ratings with a text, the newest first; of whom stays here. */
  async latest(tx: NarrowTransaction, appKey: string, limit: number): Promise<Review[]> {
    return tx.query<Review>(
      `select stars, text, updated_at as "updatedAt" from rating where app_key = $1 and text is not null
       order by updated_at desc limit $2`,
      [appKey, limit],
    );
  }
}
