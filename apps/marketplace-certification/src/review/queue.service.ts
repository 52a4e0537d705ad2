import type { Principal } from '@crm/access';
import { PlatformError, type RpcRequest, type RpcResponse, rpc, type SubmissionDocument } from '@crm/contracts';
import { Database } from '@crm/database';
import { type ListPage, listAnswer, MAX_PAGE_SIZE, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { VersionDifferenceService } from '../catalogue/version-difference.service.js';
import { storedText } from '../text/stored-text.js';
import { assertOperator } from './assert-operator.js';
import { type QueueFilter, type ReviewedSubmission, ReviewRepository } from './review.repository.js';
import { fitQueue } from './review-queue.js';
import { viewOf } from './submission-view.js';

type Marketplace = typeof rpc.marketplace;
type QueueQuery = RpcRequest<Marketplace['listSubmissions']>;
type Detail = RpcResponse<Marketplace['getSubmission']>;
type Piece = RpcResponse<Marketplace['readSubmissionDocument']>;

/** Steps of a submission's way that its reviewer sees. */
const SHOWN_STEPS = 100;

/** Characters of a document in one message; escaped in JSON each is at most six bytes. */
const PIECE_LENGTH = 100_000;

/** The review queue and what a reviewer reads of a submission. */
@Injectable()
export class QueueService {
  constructor(
    private readonly database: Database,
    private readonly reviews: ReviewRepository,
    private readonly differences: VersionDifferenceService,
  ) {}

  /**
   * The queue as the query filters and sorts it. Without `sort`, what waits for an operator comes by turn, so that a publisher
   * who submits very often delays nobody else; everything else newest first. A cursor holds its place by turn: turns become
   * lower while others decide, so whoever works through the queue begins again at its start.
   * @throws PlatformError FORBIDDEN unless the caller is an operator; INVALID_QUERY for a cursor of another list
   */
  async list(
    operator: Principal | undefined,
    query: QueueQuery = {},
  ): Promise<RpcResponse<Marketplace['listSubmissions']>> {
    assertOperator(operator);
    const { page: number, size = MAX_PAGE_SIZE, cursor, count, ...rest } = query;
    const filter = filterOf(rest);
    const page = parsePage(
      {
        size,
        ...(number !== undefined && { page: number }),
        ...(cursor !== undefined && { cursor }),
        ...(count && { count }),
      },
      {
        tenantId: operator.userId,
        list: 'submissions',
        sort: filter.sort ?? '',
        filter: { ...filter },
        value: filter.sort === 'fair' ? 'number' : 'none',
      },
    );
    const { rows, counted } = await this.database.crossTenant((tx) =>
      this.reviews.list(tx, operator.userId, filter, page),
    );
    return fittingAnswer(rows, page, counted);
  }

  /** @throws PlatformError FORBIDDEN, NOT_FOUND */
  async get(operator: Principal | undefined, submissionId: string): Promise<Detail> {
    assertOperator(operator);
    const { submission, steps } = await this.database.crossTenant(async (tx) => {
      const found = await this.reviews.find(tx, submissionId);
      if (!found) throw new PlatformError('NOT_FOUND');
      return { submission: found, steps: await this.reviews.listSteps(tx, submissionId, SHOWN_STEPS) };
    });
    const { name, kind, manifestSha256, unlistedByOperator } = submission;
    return {
      // The certification is a document of its own.
      submission: { ...viewOf(submission), certification: {} },
      name,
      kind,
      manifestSha256,
      unlistedByOperator,
      difference: await this.differences.find(submission),
      history: steps.map((step) => ({ ...step, at: step.at.toISOString() })),
    };
  }

  /** @throws PlatformError FORBIDDEN, NOT_FOUND */
  async readDocument(
    operator: Principal | undefined,
    submissionId: string,
    document: SubmissionDocument,
    offset: number,
  ): Promise<Piece> {
    assertOperator(operator);
    const found = await this.database.crossTenant((tx) => this.reviews.findDocument(tx, submissionId, document));
    if (!found) throw new PlatformError('NOT_FOUND');
    const text = JSON.stringify(found);
    const end = offset + PIECE_LENGTH;
    return { text: text.slice(offset, end), nextOffset: end < text.length ? end : null };
  }
}

function filterOf({ text, status, ...filter }: Omit<QueueQuery, 'page' | 'size' | 'cursor' | 'count'>): QueueFilter {
  const waits = status === 'in_review' || status === 'approved';
  const words = text === undefined ? '' : storedText(text, 200).trim().toLowerCase();
  return {
    sort: waits ? 'fair' : '-submittedAt',
    ...filter,
    ...(status && { status }),
    ...(words !== '' && { text: words }),
  };
}

/** The answer, with as many submissions as fit into a message; the next page begins after them. */
function fittingAnswer(
  rows: readonly ReviewedSubmission[],
  page: ListPage,
  counted: number,
): RpcResponse<Marketplace['listSubmissions']> {
  const wanted = rows.slice(0, page.size);
  const data = fitQueue(wanted.map(viewOf));
  const shown = data.length < wanted.length ? { ...page, size: data.length } : page;
  const list = listAnswer(rows, shown, counted, ({ id, turn }) => ({ value: turn ?? null, id }));
  return { ...list, size: page.size, data };
}
