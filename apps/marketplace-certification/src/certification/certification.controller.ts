import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe } from '@crm/http';
import type { Certification } from '@crm/manifest';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { DEVELOPER_PROGRAM } from '../catalogue/api-groups.js';
import { CertificationView, CertifyInput } from './certification.dto.js';
import { CertificationService } from './certification.service.js';

@ApiGroup(DEVELOPER_PROGRAM)
@Controller('api/marketplace/developer/certifications')
export class CertificationController {
  constructor(private readonly certifications: CertificationService) {}

  @Post()
  @HttpCode(200)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Certifies a package without submitting it',
    description: 'Runs the same checks as a submission. Without a review packet the check `REV-001` is skipped.',
    answers: [{ status: 200, description: 'The result of each check', body: () => CertificationView }],
  })
  certify(@CurrentPrincipal() principal: Principal, @Body() input: CertifyInput): Promise<Certification> {
    return this.certifications.certify(principal, input, 'certification');
  }
}
