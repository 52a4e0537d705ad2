import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type OperatorAuditPage, PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { ApiGroup, Describe, IdParam, type ListAnswer } from '@crm/http';
import { listOperatorAudit } from '@crm/operator-audit';
import { OperatorAuditQuery } from '@crm/operator-audit/dto';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { APP_DECISIONS, REVIEW_DECISIONS } from '../catalogue/version-state.js';
import { AppDecisionService } from './app-decision.service.js';
import { QueueService } from './queue.service.js';
import {
  AppDecisionInput,
  AppView,
  DecisionInput,
  ListSubmissionsQuery,
  SubmissionDetailView,
  SubmissionView,
} from './review.dto.js';
import { ReviewService } from './review.service.js';

/** Publishing reaches every tenant and needs a proof, so it has a separate route. */
const EVERYDAY_DECISIONS = REVIEW_DECISIONS.filter((name) => name !== 'publish');

@ApiGroup({
  name: 'Submissions',
  description: 'The review queue: versions that developers submitted.',
})
@Controller('operators/api/admin/submissions')
export class OperatorsSubmissionController {
  constructor(
    private readonly queue: QueueService,
    private readonly reviews: ReviewService,
  ) {}

  @Get()
  @Access({ right: 'read', proof: false })
  @Describe({
    summary: 'Lists submitted versions',
    description:
      'With the certification that each passed when it was submitted. 200 on a page unless `size` says otherwise. What waits for an operator is sorted fairly, so that a publisher who submits very often delays nobody else.',
    answers: [{ status: 200, description: 'The submissions', body: () => SubmissionView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListSubmissionsQuery,
  ): Promise<ListAnswer<SubmissionView>> {
    return this.queue.list(principal, query);
  }

  @Get(':id')
  @Access({ right: 'read', proof: false })
  @Describe({
    summary: 'Returns a submission with everything that its reviewer looks at',
    description:
      'The package, the review packet, the certification, what changes against the version that tenants have, and what happened to the submission so far. Differences that let the app reach more come first.',
    answers: [{ status: 200, description: 'The submission', body: () => SubmissionDetailView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() submissionId: string): Promise<SubmissionDetailView> {
    return this.queue.get(principal, submissionId);
  }

  @Post(':id/publish')
  @Access({ right: 'write', proof: true })
  @Describe({
    summary: 'Publishes a version',
    description:
      'Tenants see it and can install it, and the version that was published before becomes deprecated. An operator who is linked to a workspace never decides on its submissions.',
    answers: [{ status: 200, description: 'The submission', body: () => SubmissionView }],
    errors: ['OWN_SUBMISSION', 'SUBMISSION_STATE'],
  })
  async publish(
    @CurrentPrincipal() principal: Principal,
    @IdParam() submissionId: string,
    @Body() input?: DecisionInput,
  ): Promise<SubmissionView> {
    return this.reviews.decide(principal, submissionId, 'publish', input?.reason);
  }

  @Post(':id/:decision')
  @Access({ right: 'write', proof: false })
  @Describe({
    summary: 'Decides on a submission',
    description: `The decision is one of ${EVERYDAY_DECISIONS.map((name) => `\`${name}\``).join(', ')}. \`claim\` takes the submission for four hours, during which nobody else decides on it unless they claim it with a reason; \`release\` gives it back. An operator who is linked to a workspace never decides on its submissions, nor claims them.`,
    answers: [{ status: 200, description: 'The submission', body: () => SubmissionView }],
    errors: ['OWN_SUBMISSION', 'SUBMISSION_STATE'],
  })
  async decide(
    @CurrentPrincipal() principal: Principal,
    @IdParam() submissionId: string,
    @Param('decision') name: string,
    @Body() input?: DecisionInput,
  ): Promise<SubmissionView> {
    const decision = EVERYDAY_DECISIONS.find((known) => known === name);
    if (!decision) throw new PlatformError('NOT_FOUND');
    return this.reviews.decide(principal, submissionId, decision, input?.reason);
  }
}

@ApiGroup({
  name: 'Apps',
  description: 'Published apps, how much depends on them, and taking them out of the marketplace.',
})
@Controller('operators/api/admin/apps')
export class OperatorsAppController {
  constructor(private readonly decisions: AppDecisionService) {}

  @Get(':key/impact')
  @Access({ right: 'read', proof: false })
  @Describe({
    summary: 'Returns how much depends on an app',
    description: 'Look at it before you suspend the app.',
    answers: [{ status: 200, description: 'The app and its installations', body: () => AppView }],
    errors: ['NOT_FOUND'],
  })
  async impact(@CurrentPrincipal() principal: Principal, @Param('key') appKey: string): Promise<AppView> {
    return this.decisions.measure(principal, appKey);
  }

  @Post(':key/:decision')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Suspends, reinstates, revokes or unlists an app',
    description: `The decision is one of ${APP_DECISIONS.map((name) => `\`${name}\``).join(', ')}. \`suspend\` stops new installs and keeps those there are; \`reinstate\` undoes that; \`revoke\` is for good: no version is published any more or again, and every token of the app ends within a second; \`unlist\` leaves the app to those who know its key. The publisher reads the reason as the verdict on the version.`,
    answers: [{ status: 200, description: 'The app and its installations', body: () => AppView }],
    errors: ['OWN_SUBMISSION', 'SUBMISSION_STATE', 'NOT_FOUND'],
  })
  async decide(
    @CurrentPrincipal() principal: Principal,
    @Param('key') appKey: string,
    @Param('decision') name: string,
    @Body() { reason }: AppDecisionInput,
  ): Promise<AppView> {
    const decision = APP_DECISIONS.find((known) => known === name);
    if (!decision) throw new PlatformError('NOT_FOUND');
    return this.decisions.decide(principal, appKey, decision, reason);
  }
}

/** This service's part of the trail of operators, which marketplace-admin shows together with that of identity. */
@Controller('operators/audit')
@Access({ right: 'administer', proof: false })
export class OperatorsAuditController {
  constructor(private readonly database: Database) {}

  @Get()
  @Describe({ summary: 'Lists what operators did', hidden: true })
  list(@Query() query: OperatorAuditQuery): Promise<OperatorAuditPage> {
    return this.database.crossTenant((tx) => listOperatorAudit(tx, query));
  }
}
