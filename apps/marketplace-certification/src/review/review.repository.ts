import type { VersionStatus } from '@crm/contracts';
import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { App } from '../catalogue/app.entity.js';
import type { Submission, Version } from '../catalogue/version.entity.js';
import {
  FIND_REVIEWED_SUBMISSION,
  LIST_NEWEST_SUBMISSIONS,
  LIST_OLDEST_SUBMISSIONS,
  LOCK_REVIEWED_SUBMISSION,
} from './review.sql.js';

/** A submission as operators look at it. */
export type ReviewedSubmission = Submission & Pick<Version, 'certification'> & Pick<App, 'publisherName'>;

/** Submissions with what the app says of their publisher, read in one statement each. */
@Injectable()
export class ReviewRepository {
  /** What waits for an operator comes oldest first, everything else newest first. */
  async list(tx: NarrowTransaction, status: VersionStatus | undefined, limit: number): Promise<ReviewedSubmission[]> {
    const waits = status === 'in_review' || status === 'approved';
    return tx.query(waits ? LIST_OLDEST_SUBMISSIONS : LIST_NEWEST_SUBMISSIONS, [status ?? null, limit]);
  }

  async find(tx: NarrowTransaction, id: string): Promise<ReviewedSubmission | null> {
    const [row] = await tx.query<ReviewedSubmission>(FIND_REVIEWED_SUBMISSION, [id]);
    return row ?? null;
  }

  /** Like find, and holds the version until the transaction ends. */
  async lock(tx: NarrowTransaction, id: string): Promise<ReviewedSubmission | null> {
    const [row] = await tx.query<ReviewedSubmission>(LOCK_REVIEWED_SUBMISSION, [id]);
    return row ?? null;
  }
}
