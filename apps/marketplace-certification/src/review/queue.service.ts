import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type ListAnswer, type ListPage, listAnswer, MAX_PAGE_SIZE, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { storedText } from '../catalogue/catalogue.repository.js';
import { VersionDifferenceService } from '../catalogue/version-difference.service.js';
import { assertOperator } from './assert-operator.js';
import type { ListSubmissionsQuery, SubmissionDetailView, SubmissionView } from './review.dto.js';
import { type QueueFilter, type ReviewedSubmission, ReviewRepository } from './review.repository.js';
import { fitQueue, viewOf } from './submission-view.js';

const SHOWN_STEPS = 100;

@Injectable()
export class QueueService {
  constructor(
    private readonly database: Database,
    private readonly reviews: ReviewRepository,
    private readonly differences: VersionDifferenceService,
  ) {}

  /**
   * What waits for an operator comes by turn, so that a publisher who submits very often delays nobody else. Turns become lower
   * while others decide, so anyone who works through the queue with a cursor begins again at its start.
   * @throws PlatformError FORBIDDEN unless the caller is an operator; INVALID_QUERY for a cursor of another list
   */
  async list(operator: Principal | undefined, query: ListSubmissionsQuery = {}): Promise<ListAnswer<SubmissionView>> {
    assertOperator(operator);
    const filter = filterOf(query);
    const page = parsePage(
      { ...query, size: query.size ?? MAX_PAGE_SIZE },
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
  async get(operator: Principal | undefined, submissionId: string): Promise<SubmissionDetailView> {
    assertOperator(operator);
    const { submission, steps, documents } = await this.database.crossTenant(async (tx) => {
      const found = await this.reviews.find(tx, submissionId);
      if (!found) throw new PlatformError('NOT_FOUND');
      return {
        submission: found,
        steps: await this.reviews.listSteps(tx, submissionId, SHOWN_STEPS),
        documents: await this.reviews.getDocuments(tx, submissionId),
      };
    });
    const { name, kind, manifestSha256, unlistedByOperator } = submission;
    return {
      ...viewOf(submission),
      name,
      kind,
      manifestSha256,
      unlistedByOperator,
      difference: await this.differences.find(submission),
      history: steps.map((step) => ({ ...step, at: step.at.toISOString() })),
      ...documents,
    };
  }
}

function filterOf({ q, status, page, size, cursor, count, ...filter }: ListSubmissionsQuery): QueueFilter {
  const waits = status === 'in_review' || status === 'approved';
  const words = q === undefined ? '' : storedText(q, 200).trim().toLowerCase();
  return {
    sort: waits ? 'fair' : '-submittedAt',
    ...filter,
    ...(status && { status }),
    ...(words !== '' && { text: words }),
  };
}

/** The answer, with as many submissions as fit into one; the next page begins after them. */
function fittingAnswer(
  rows: readonly ReviewedSubmission[],
  page: ListPage,
  counted: number,
): ListAnswer<SubmissionView> {
  const wanted = rows.slice(0, page.size);
  const data = fitQueue(wanted.map(viewOf));
  const shown = data.length < wanted.length ? { ...page, size: data.length } : page;
  const list = listAnswer(rows, shown, counted, ({ id, turn }) => ({ value: turn ?? null, id }));
  return { ...list, size: page.size, data };
}
