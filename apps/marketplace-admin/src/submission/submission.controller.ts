import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { PlatformError, REVIEW_DECISIONS, type ReviewDecision, rpc } from '@crm/contracts';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { DecisionInput, ListSubmissionsQuery, SubmissionListView, SubmissionView } from './submission.dto.js';

/** The review queue. marketplace-certification checks the operator's token again and knows what a state permits. */
@ApiGroup({
  name: 'Submissions',
  description: 'The review queue: versions that developers submitted.',
})
@Controller('api/admin/submissions')
export class SubmissionController {
  constructor(private readonly rpc: Rpc) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Lists submitted versions',
    description: 'With the certification that each passed when it was submitted.',
    answers: [{ status: 200, description: 'The submissions', body: () => SubmissionListView }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() { status }: ListSubmissionsQuery,
  ): Promise<SubmissionListView> {
    return this.rpc.call(rpc.marketplace.listSubmissions, status ? { status } : {}, principal);
  }

  @Post(':id/:decision')
  @HttpCode(200)
  @Access({ right: 'write' })
  @Describe({
    summary: 'Decides on a submission',
    description: `The decision is one of ${REVIEW_DECISIONS.map((name) => `\`${name}\``).join(', ')}. An operator who is linked to a workspace never decides on its submissions.`,
    answers: [{ status: 200, description: 'The submission', body: () => SubmissionView }],
    refusals: ['OWN_SUBMISSION', 'SUBMISSION_STATE'],
  })
  async decide(
    @CurrentPrincipal() principal: Principal,
    @IdParam() submissionId: string,
    @Param('decision') name: string,
    @Body() input?: DecisionInput,
  ): Promise<SubmissionView> {
    const decision = reviewDecision(name);
    const reason = input?.reason;
    const request = { submissionId, decision, ...(reason !== undefined && { reason }) };
    return this.rpc.call(rpc.marketplace.decideSubmission, request, principal);
  }
}

/** @throws PlatformError NOT_FOUND for a path that names no decision */
function reviewDecision(name: string): ReviewDecision {
  const decision = REVIEW_DECISIONS.find((known) => known === name);
  if (!decision) throw new PlatformError('NOT_FOUND');
  return decision;
}
