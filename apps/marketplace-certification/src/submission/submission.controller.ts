import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { headerCall, IdempotencyKey } from '@crm/database';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { DEVELOPER_PROGRAM } from '../api-groups.js';
import { CertifyInput } from '../certification/certification.dto.js';
import { DeveloperAppService } from './developer-app.service.js';
import {
  AcceptedSubmissionView,
  DeveloperAppsView,
  DeveloperSubmissionView,
  DeveloperVersionView,
} from './submission.dto.js';
import { SubmissionService } from './submission.service.js';

@ApiGroup(DEVELOPER_PROGRAM)
@Controller('api/marketplace/developer/apps')
@Access({ right: 'administer', proof: false })
export class SubmissionController {
  constructor(
    private readonly submissions: SubmissionService,
    private readonly apps: DeveloperAppService,
  ) {}

  @Post('submit')
  @Describe({
    summary: 'Submit a package for review',
    description:
      'Runs the certification first. The plan limits submissions per day. A failed certification returns `CERTIFICATION_FAILED` with `accepted: false`, `versionStatus: "certification_failed"`, and the certification.',
    answers: [{ status: 201, description: 'The version is in review', body: () => AcceptedSubmissionView }],
    errors: ['CERTIFICATION_FAILED', 'EMAIL_NOT_VERIFIED'],
  })
  submit(
    @CurrentPrincipal() principal: Principal,
    @Body() input: CertifyInput,
    @IdempotencyKey() key: string | undefined,
  ): Promise<AcceptedSubmissionView> {
    const call = headerCall(principal, 'POST /api/marketplace/developer/apps/submit', key, input);
    return this.submissions.submit(principal, input, call);
  }

  @Get()
  @Describe({
    summary: 'List the apps you publish',
    description: 'Includes every submitted version with its status and the decision of its review.',
    answers: [
      {
        status: 200,
        description: 'The apps by key, each with its newest submission first',
        body: () => DeveloperAppsView,
      },
    ],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<DeveloperAppsView> {
    return { data: await this.apps.list(principal.tenantId) };
  }

  @Get(':key/versions/:version')
  @Describe({
    summary: 'Get a submitted version',
    description: 'Includes the differences that the reviewer sees, but not who reviews.',
    answers: [{ status: 200, description: 'The version', body: () => DeveloperSubmissionView }],
  })
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Param('version') version: string,
  ): Promise<DeveloperSubmissionView> {
    return this.apps.get(principal.tenantId, key, version);
  }

  @Post(':key/versions/:version/withdraw')
  @Describe({
    summary: 'Withdraw a version',
    description: "A withdrawn version can't be submitted again. Submit a higher version instead.",
    answers: [{ status: 200, description: 'The withdrawn version', body: () => DeveloperVersionView }],
    errors: ['SUBMISSION_STATE'],
  })
  withdraw(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Param('version') version: string,
  ): Promise<DeveloperVersionView> {
    return this.apps.withdraw(principal, key, version);
  }
}
