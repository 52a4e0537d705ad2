import type { NarrowTransaction } from '@crm/database';
import type { ListPage, ListQuery } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { type App, type Submission, Version } from '../catalogue/catalogue.entity.js';
import type { ListSubmissionsQuery } from './review.dto.js';

const IS_CLAIMED = '(v.claimed_until IS NOT NULL AND v.claimed_until > now())';

const COLUMNS = `v.id, v.app_key AS "appKey", v.tenant_id AS "tenantId", v.version, v.name, v.kind, v.status,
    v.submitted_at AS "submittedAt", v.claimed_by AS "claimedBy", v.claimed_until AS "claimedUntil",
    ${IS_CLAIMED} AS "isClaimed", v.verdict, v.certification, v.manifest_sha256 AS "manifestSha256",
    a.publisher_name AS "publisherName", a.unlisted_by_operator AS "unlistedByOperator"`;
const SUBMISSIONS = `SELECT ${COLUMNS} FROM app_version v JOIN app a ON a.key = v.app_key`;

/**
 * What restricts the queue; null does not. $1: status, $2: key of the app, $3: publisher, $4: submitted before, $5: submitted
 * since, $6: lower-case text, $7: whose claim, $8: the operator who asks.
 */
const IN_QUEUE = `($1::text IS NULL OR v.status = $1)
    AND ($2::text IS NULL OR v.app_key = $2)
    AND ($3::uuid IS NULL OR v.tenant_id = $3)
    AND ($4::timestamptz IS NULL OR v.submitted_at < $4)
    AND ($5::timestamptz IS NULL OR v.submitted_at >= $5)
    AND ($6::text IS NULL OR strpos(lower(v.app_key || ' ' || v.name || ' ' || a.publisher_name), $6) > 0)
    AND ($7::text IS NULL OR $7 = CASE WHEN NOT ${IS_CLAIMED} THEN 'none' WHEN v.claimed_by = $8 THEN 'mine' ELSE 'others' END)`;

/** Where the previous page ended: the time of a submission is read from its row, to the microsecond. $9: its id, or null. */
const LAST = '(SELECT l.submitted_at, l.id FROM app_version l WHERE l.id = $9)';

/**
 * By turn, then by age: the oldest submission of every publisher comes before the second oldest of any. $1 to $8: see IN_QUEUE,
 * $9: id where the previous page ended, or null, $10: its turn, $11: limit, $12: offset.
 */
export const LIST_SUBMISSIONS_BY_TURN = `
  WITH turns AS (
    SELECT id, row_number() OVER (PARTITION BY tenant_id ORDER BY submitted_at, id)::int AS turn
      FROM app_version WHERE $1::text IS NULL OR status = $1)
  SELECT ${COLUMNS}, t.turn FROM turns t JOIN app_version v ON v.id = t.id JOIN app a ON a.key = v.app_key
   WHERE ${IN_QUEUE}
     AND ($9::uuid IS NULL OR t.turn > $10::float8 OR (t.turn = $10::float8 AND (v.submitted_at, v.id) > ${LAST}))
   ORDER BY t.turn, v.submitted_at, v.id LIMIT $11 OFFSET $12`;

/** $1 to $8: see IN_QUEUE, $9: id where the previous page ended, or null, $10: limit, $11: offset. */
export const LIST_OLDEST_SUBMISSIONS = `
  ${SUBMISSIONS} WHERE ${IN_QUEUE} AND ($9::uuid IS NULL OR (v.submitted_at, v.id) > ${LAST})
   ORDER BY v.submitted_at ASC, v.id ASC LIMIT $10 OFFSET $11`;

/** $1 to $8: see IN_QUEUE, $9: id where the previous page ended, or null, $10: limit, $11: offset. */
export const LIST_NEWEST_SUBMISSIONS = `
  ${SUBMISSIONS} WHERE ${IN_QUEUE} AND ($9::uuid IS NULL OR (v.submitted_at, v.id) < ${LAST})
   ORDER BY v.submitted_at DESC, v.id DESC LIMIT $10 OFFSET $11`;

/** $1 to $8: see IN_QUEUE, $9: count at most so many; null for all. */
export const COUNT_SUBMISSIONS = `
  SELECT count(*)::int AS counted FROM (
    SELECT 1 FROM app_version v JOIN app a ON a.key = v.app_key WHERE ${IN_QUEUE} LIMIT $9) AS matching`;

const FIND_REVIEWED_SUBMISSION = `${SUBMISSIONS} WHERE v.id = $1`;

/** Holds the version, not its app, until the transaction ends. $1: id of the submission. */
const LOCK_REVIEWED_SUBMISSION = `${SUBMISSIONS} WHERE v.id = $1 FOR UPDATE OF v`;

/** Takes a submission for some time. $1: id of the submission, $2: operator, $3: seconds. */
const CLAIM_SUBMISSION = `
  UPDATE app_version SET claimed_by = $2, claimed_until = now() + make_interval(secs => $3) WHERE id = $1`;

const RELEASE_SUBMISSION = 'UPDATE app_version SET claimed_by = NULL, claimed_until = NULL WHERE id = $1';

/** How many versions are in each status, and for how many seconds the oldest of them has existed. */
export const MEASURE_SUBMISSIONS = `
  SELECT status, count(*)::int AS items, extract(epoch FROM now() - min(submitted_at))::float8 AS "oldestSeconds"
    FROM app_version GROUP BY status`;

/** What happened to a submission, latest first. $1: id of the submission, $2: limit. */
const LIST_SUBMISSION_STEPS = `
  SELECT at, actor_kind AS "actorKind", actor_id AS "actorId", action, from_status AS "from", to_status AS "to", reason
    FROM submission_audit WHERE submission_id = $1 ORDER BY at DESC, id DESC LIMIT $2`;

export type ReviewedSubmission = Omit<Submission, 'submittedBy' | 'publishedAt'> &
  Pick<Version, 'certification'> &
  Pick<App, 'publisherName' | 'unlistedByOperator'> & {
    isClaimed: boolean;
    /** Which of its publisher's it is, where the queue is sorted by turn. */
    turn?: number;
  };

/** Lower-case `text` in place of `q`. */
export type QueueFilter = Omit<ListSubmissionsQuery, keyof ListQuery | 'q'> & { text?: string };

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

  async listSteps(tx: NarrowTransaction, id: string, limit: number): Promise<RecordedStep[]> {
    return (await tx.query<RecordedStep>(LIST_SUBMISSION_STEPS, [id, limit])).reverse();
  }

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
