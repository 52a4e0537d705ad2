import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import type { Certification } from '@crm/manifest';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { DEVELOPER_PROGRAM } from '../catalogue/api-groups.js';
import { CertificationView, CertifyInput } from './certification.dto.js';
import { CertificationService } from './certification.service.js';
import { PublisherQuota } from './publisher-quota.js';

@ApiGroup(DEVELOPER_PROGRAM)
@Controller('api/marketplace/developer/certifications')
export class CertificationController {
  constructor(
    private readonly certifications: CertificationService,
    private readonly quota: PublisherQuota,
  ) {}

  @Post()
  @HttpCode(200)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Certifies a package without submitting it',
    description:
      'Runs the same checks as a submission. Without a review packet the check `REV-001` is skipped. How many certifications a workspace may run per day depends on its plan.',
    answers: [{ status: 200, description: 'The result of each check', body: () => CertificationView }],
  })
  async certify(@CurrentPrincipal() principal: Principal, @Body() input: CertifyInput): Promise<Certification> {
    await this.quota.takeCertification(principal);
    return this.certifications.certify(principal, input, 'certification');
  }
}
