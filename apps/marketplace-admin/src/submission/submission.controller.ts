import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { PlatformError, REVIEW_DECISIONS, type ReviewDecision, rpc } from '@crm/contracts';
import { ApiGroup, Describe, IdParam, type ListAnswer } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { DecisionInput, ListSubmissionsQuery, SubmissionDetailView, SubmissionView } from './submission.dto.js';
import { SubmissionDocuments } from './submission-documents.js';

/** The review queue. marketplace-certification checks the operator's token again and knows what a state permits. */
@ApiGroup({
  name: 'Submissions',
  description: 'The review queue: versions that developers submitted.',
})
@Controller('api/admin/submissions')
export class SubmissionController {
  constructor(
    private readonly rpc: Rpc,
    private readonly documents: SubmissionDocuments,
  ) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Lists submitted versions',
    description:
      'With the certification that each passed when it was submitted. 200 on a page unless `size` says otherwise. What waits for an operator is sorted fairly, so that a publisher who submits very often delays nobody else.',
    answers: [{ status: 200, description: 'The submissions', body: () => SubmissionView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() { q, ...query }: ListSubmissionsQuery,
  ): Promise<ListAnswer<SubmissionView>> {
    const request = { ...query, ...(q !== undefined && { text: q }) };
    return this.rpc.call(rpc.marketplace.listSubmissions, request, principal);
  }

  @Get(':id')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns a submission with everything that its reviewer looks at',
    description:
      'The package, the review packet, the certification, what changes against the version that tenants have, and what happened to the submission so far. Differences that let the app reach more come first.',
    answers: [{ status: 200, description: 'The submission', body: () => SubmissionDetailView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() submissionId: string): Promise<SubmissionDetailView> {
    const { submission, ...more } = await this.rpc.call(rpc.marketplace.getSubmission, { submissionId }, principal);
    const [manifest, reviewPacket, certification] = await Promise.all([
      this.documents.read(principal, submissionId, 'manifest'),
      this.documents.read(principal, submissionId, 'reviewPacket'),
      this.documents.read(principal, submissionId, 'certification'),
    ]);
    return { ...submission, ...more, manifest, reviewPacket, certification } as SubmissionDetailView;
  }

  @Post(':id/:decision')
  @HttpCode(200)
  @Access({ right: 'write' })
  @Describe({
    summary: 'Decides on a submission',
    description: `The decision is one of ${REVIEW_DECISIONS.map((name) => `\`${name}\``).join(', ')}. \`claim\` takes the submission for four hours, during which nobody else decides on it unless they claim it with a reason; \`release\` gives it back. An operator who is linked to a workspace never decides on its submissions, nor claims them.`,
    answers: [{ status: 200, description: 'The submission', body: () => SubmissionView }],
    errors: ['OWN_SUBMISSION', 'SUBMISSION_STATE'],
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
