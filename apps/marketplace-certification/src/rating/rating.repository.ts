import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { AppRepository } from '../catalogue/app.repository.js';
import { Rating } from './rating.entity.js';
import { COUNT_RATING, SAVE_RATING } from './rating.sql.js';

/** A rating as everyone sees it: without its author. */
export type Review = Pick<Rating, 'stars' | 'text' | 'updatedAt'>;

/** What users think of apps. The app holds their number and sum, so that lists need not add them up. */
@Injectable()
export class RatingRepository {
  constructor(private readonly apps: AppRepository) {}

  /** Writes or replaces the rating of a user, together with the number and sum that the app holds. */
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

  /** Ratings with a text, newest first. */
  async listLatest(tx: NarrowTransaction, appKey: string, limit: number): Promise<Review[]> {
    return tx.repository(Rating).find({
      where: { appKey, text: Not(IsNull()) },
      order: { updatedAt: 'DESC' },
      take: limit,
    });
  }
}
