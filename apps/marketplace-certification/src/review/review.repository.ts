import type { NarrowTransaction } from '@crm/database';
import type { ListPage, ListQuery } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { App } from '../catalogue/app.entity.js';
import { type Submission, Version } from '../catalogue/version.entity.js';
import type { ListSubmissionsQuery } from './review.dto.js';
import {
  CLAIM_SUBMISSION,
  COUNT_SUBMISSIONS,
  FIND_REVIEWED_SUBMISSION,
  LIST_NEWEST_SUBMISSIONS,
  LIST_OLDEST_SUBMISSIONS,
  LIST_SUBMISSION_STEPS,
  LIST_SUBMISSIONS_BY_TURN,
  LOCK_REVIEWED_SUBMISSION,
  RELEASE_SUBMISSION,
} from './review.sql.js';

/** A submission as operators look at it. */
export type ReviewedSubmission = Submission &
  Pick<Version, 'certification' | 'manifestSha256'> &
  Pick<App, 'publisherName' | 'unlistedByOperator'> & {
    claimedUntil: Date | null;
    /** Whether the claim has not lapsed. */
    isClaimed: boolean;
    /** Which of its publisher's it is, where the queue is sorted by turn. */
    turn?: number;
  };

/** Lower-case `text` in the place of `q`. */
export type QueueFilter = Omit<ListSubmissionsQuery, keyof ListQuery | 'q'> & { text?: string };

/** One step of a submission's way, as it was recorded. */
export interface RecordedStep {
  readonly at: Date;
  readonly actorKind: 'developer' | 'operator' | 'system';
  readonly actorId: string;
  readonly action: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
}

/** Submissions with what the app says of their publisher, read in one statement each. */
@Injectable()
export class ReviewRepository {
  /** @param operatorId who asks */
  async list(
    tx: NarrowTransaction,
    operatorId: string,
    filter: QueueFilter,
    { after, limit, offset, countLimit }: ListPage,
  ): Promise<{ rows: ReviewedSubmission[]; counted: number }> {
    const { status, appKey, publisherId, submittedBefore, submittedSince, text, claim, sort } = filter;
    const restrictions = [
      status ?? null,
      appKey ?? null,
      publisherId ?? null,
      submittedBefore ?? null,
      submittedSince ?? null,
      text?.toLowerCase() ?? null,
      claim ?? null,
      operatorId,
    ];
    const byAge = sort === 'submittedAt' ? LIST_OLDEST_SUBMISSIONS : LIST_NEWEST_SUBMISSIONS;
    const last = after?.id ?? null;
    const [rows, [count]] = await Promise.all([
      sort === 'fair'
        ? tx.query<ReviewedSubmission>(LIST_SUBMISSIONS_BY_TURN, [
            ...restrictions,
            last,
            after?.value ?? 0,
            limit,
            offset,
          ])
        : tx.query<ReviewedSubmission>(byAge, [...restrictions, last, limit, offset]),
      tx.query<{ counted: number }>(COUNT_SUBMISSIONS, [...restrictions, countLimit]),
    ]);
    return { rows, counted: count?.counted ?? 0 };
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

  async claim(tx: NarrowTransaction, id: string, operatorId: string, seconds: number): Promise<void> {
    await tx.query(CLAIM_SUBMISSION, [id, operatorId, seconds]);
  }

  async release(tx: NarrowTransaction, id: string): Promise<void> {
    await tx.query(RELEASE_SUBMISSION, [id]);
  }

  /** The latest steps, oldest first. */
  async listSteps(tx: NarrowTransaction, id: string, limit: number): Promise<RecordedStep[]> {
    return (await tx.query<RecordedStep>(LIST_SUBMISSION_STEPS, [id, limit])).reverse();
  }

  /** The package, the review packet and the certification of a submission that exists. */
  async getDocuments(
    tx: NarrowTransaction,
    id: string,
  ): Promise<Pick<Version, 'manifest' | 'reviewPacket' | 'certification'>> {
    const select = { id: true, manifest: true, reviewPacket: true, certification: true };
    const { manifest, reviewPacket, certification } = await tx
      .repository(Version)
      .findOneOrFail({ select, where: { id } });
    return { manifest, reviewPacket, certification };
  }
}
