import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe } from '@crm/http';
import { headerCall, IdempotencyKey } from '@crm/idempotency';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CertifyInput } from '../certification/certification.dto.js';
import { type DeveloperApp, DeveloperAppService, type DeveloperVersion } from './developer-app.service.js';
import { AcceptedSubmissionAnswer, DeveloperAppsAnswer, DeveloperVersionAnswer } from './submission.dto.js';
import { type AcceptedSubmission, SubmissionService } from './submission.service.js';

@Controller('api/marketplace/developer/apps')
@Access({ right: 'administer' })
export class SubmissionController {
  constructor(
    private readonly submissions: SubmissionService,
    private readonly apps: DeveloperAppService,
  ) {}

  @Post('submit')
  @Describe({
    summary: 'Submits a package for review',
    answers: [{ status: 201, description: 'In review', body: () => AcceptedSubmissionAnswer }],
    refusals: ['CERTIFICATION_FAILED'],
  })
  submit(
    @CurrentPrincipal() principal: Principal,
    @Body() input: CertifyInput,
    @IdempotencyKey() key: string | undefined,
  ): Promise<AcceptedSubmission> {
    const call = headerCall(principal, 'POST /api/marketplace/developer/apps/submit', key, input);
    return this.submissions.submit(principal, input, call);
  }

  @Get()
  @Describe({
    summary: "The workspace's own apps with their versions and verdicts",
    answers: [{ status: 200, description: 'By key, the newest submission first', body: () => DeveloperAppsAnswer }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<{ data: DeveloperApp[] }> {
    return { data: await this.apps.list(principal.tenantId) };
  }

  @Post(':key/versions/:version/withdraw')
  @HttpCode(200)
  @Describe({
    summary: 'Takes a version back before it is published',
    answers: [{ status: 200, description: 'Withdrawn', body: () => DeveloperVersionAnswer }],
  })
  withdraw(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Param('version') version: string,
  ): Promise<DeveloperVersion> {
    return this.apps.withdraw(principal, key, version);
  }
}
