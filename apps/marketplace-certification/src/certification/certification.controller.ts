import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe } from '@crm/http';
import type { Certification } from '@crm/manifest';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CertificationAnswer, CertifyInput } from './certification.dto.js';
import { CertificationService } from './certification.service.js';

@Controller('api/marketplace/developer/certifications')
export class CertificationController {
  constructor(private readonly certifications: CertificationService) {}

  @Post()
  @HttpCode(200)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Certifies a package without submitting it',
    answers: [{ status: 200, description: 'The result of every check', body: () => CertificationAnswer }],
  })
  certify(@CurrentPrincipal() principal: Principal, @Body() input: CertifyInput): Promise<Certification> {
    return this.certifications.certify(principal, input, 'certification');
  }
}
