import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { ApiGroup, Describe } from '@crm/http';
import { type Certification, checkListPage, checkPage } from '@crm/manifest';
import { Body, Controller, Get, Header, Param, Post } from '@nestjs/common';
import { DEVELOPER_PROGRAM } from '../api-groups.js';
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
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Certify a package without submitting it',
    description:
      'Runs the same checks as a submission. Without a review packet, `REV-001` is skipped. The plan limits certifications per day.',
    answers: [{ status: 200, description: 'The result of each check', body: () => CertificationView }],
  })
  async certify(@CurrentPrincipal() principal: Principal, @Body() input: CertifyInput): Promise<Certification> {
    await this.quota.takeCertification(principal);
    return this.certifications.certify(principal, input, 'certification');
  }
}

/** The pages that findings link to (`docUrl`): what a check protects, and what to change. */
@Controller('docs/certification')
export class CheckPagesController {
  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Describe({ summary: 'List the certification checks', hidden: true })
  list(): string {
    return checkListPage();
  }

  @Get(':id')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Describe({ summary: 'Explain a certification check', hidden: true })
  read(@Param('id') id: string): string {
    const page = checkPage(id);
    if (page === undefined) throw new PlatformError('NOT_FOUND');
    return page;
  }
}
