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
  description: 'The review queue: versions submitted by developers.',
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
    summary: 'List submissions',
    description:
      "Includes the certification of each submission. 200 per page by default. The queue is sorted fairly, so that a publisher with many submissions doesn't delay others.",
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
    summary: 'Get a submission',
    description:
      'The package, the review packet, the certification, the differences from the published version, and the history of the submission. Differences that give the app more access come first.',
    answers: [{ status: 200, description: 'The submission', body: () => SubmissionDetailView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() submissionId: string): Promise<SubmissionDetailView> {
    return this.queue.get(principal, submissionId);
  }

  @Post(':id/publish')
  @Access({ right: 'write', proof: true })
  @Describe({
    summary: 'Publish a version',
    description:
      "Workspaces can see and install it, and the previously published version becomes deprecated. Operators can't decide on submissions of their linked workspace.",
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
    summary: 'Decide on a submission',
    description: `The decision is one of ${EVERYDAY_DECISIONS.map((name) => `\`${name}\``).join(', ')}. \`claim\` reserves the submission for 4 hours; others can decide on it only if they claim it with a reason. \`release\` returns it to the queue. Operators can't claim or decide on submissions of their linked workspace.`,
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
  description: 'Published apps, their impact, and removing them from the marketplace.',
})
@Controller('operators/api/admin/apps')
export class OperatorsAppController {
  constructor(private readonly decisions: AppDecisionService) {}

  @Get(':key/impact')
  @Access({ right: 'read', proof: false })
  @Describe({
    summary: 'Get the impact of an app',
    description: 'Check it before you suspend the app.',
    answers: [{ status: 200, description: 'The app and its installations', body: () => AppView }],
    errors: ['NOT_FOUND'],
  })
  async impact(@CurrentPrincipal() principal: Principal, @Param('key') appKey: string): Promise<AppView> {
    return this.decisions.measure(principal, appKey);
  }

  @Post(':key/:decision')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Suspend, reinstate, revoke, or unlist an app',
    description: `The decision is one of ${APP_DECISIONS.map((name) => `\`${name}\``).join(', ')}. \`suspend\` stops new installations and keeps existing ones; \`reinstate\` undoes that; \`revoke\` can't be undone: no version stays published or can be published again, and all tokens of the app end within a second; \`unlist\` hides the app from the marketplace; workspaces that know its key can still install it. The publisher sees the reason as the decision on the version.`,
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
  @Describe({ summary: "List the operators' audit trail", hidden: true })
  list(@Query() query: OperatorAuditQuery): Promise<OperatorAuditPage> {
    return this.database.crossTenant((tx) => listOperatorAudit(tx, query));
  }
}
