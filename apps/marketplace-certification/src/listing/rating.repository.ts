import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { AppRepository } from '../catalogue/catalogue.repository.js';
import { Rating } from './rating.entity.js';

/** Writes or replaces the rating of a user. $1: key of the app, $2: tenant, $3: user, $4: stars, $5: text or null. */
const SAVE_RATING = `
  INSERT INTO rating (app_key, tenant_id, user_id, stars, text) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (app_key, tenant_id, user_id)
    DO UPDATE SET stars = excluded.stars, text = excluded.text, updated_at = now()
  RETURNING stars, text, updated_at AS "updatedAt"`;

/** $1: key of the app, $2: ratings that are new, $3: stars to add. */
const COUNT_RATING = `
  UPDATE app SET rating_count = rating_count + $2, rating_total = rating_total + $3 WHERE key = $1`;

/** A rating as everyone sees it: without its author. */
export type Review = Pick<Rating, 'stars' | 'text' | 'updatedAt'>;

/** What users think of apps. The app holds their number and sum, so that lists need not add them up. */
@Injectable()
export class RatingRepository {
  constructor(private readonly apps: AppRepository) {}

  async save(tx: NarrowTransaction, rating: Omit<Rating, 'updatedAt'>): Promise<Review> {
    const { appKey, tenantId, userId, stars, text } = rating;
    // The app's row first: ratings of one app follow each other, and none is counted twice.
    await this.apps.lock(tx, appKey);
    const previous = await tx.repository(Rating).findOneBy({ appKey, tenantId, userId });
    const [[saved]] = await Promise.all([
      tx.query<Review>(SAVE_RATING, [appKey, tenantId, userId, stars, text]),
      tx.query(COUNT_RATING, [appKey, previous ? 0 : 1, stars - (previous?.stars ?? 0)]),
    ]);
    return saved as Review;
  }

  /** Removes what a user wrote; the stars stay, with an id that nobody can resolve any more. Can be repeated. */
  async forgetTexts(tx: NarrowTransaction, tenantId: string, userId: string): Promise<void> {
    await tx.repository(Rating).update({ tenantId, userId, text: Not(IsNull()) }, { text: null });
  }

  async listLatest(tx: NarrowTransaction, appKey: string, limit: number): Promise<Review[]> {
    return tx.repository(Rating).find({
      where: { appKey, text: Not(IsNull()) },
      order: { updatedAt: 'DESC' },
      take: limit,
    });
  }
}
