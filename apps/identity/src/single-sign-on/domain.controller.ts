import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { SINGLE_SIGN_ON_GROUP } from '../api-groups.js';
import { DomainService } from './domain.service.js';
import {
  DomainInput,
  DomainListView,
  DomainView,
  RequirementInput,
  RequirementView,
  recordName,
} from './single-sign-on.dto.js';
import type { MailDomain } from './single-sign-on.entity.js';

@ApiGroup(SINGLE_SIGN_ON_GROUP)
@Controller('api/tenant/domains')
export class DomainController {
  constructor(private readonly domains: DomainService) {}

  @Get()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'List domains',
    description: 'Verified and pending domains, each with its DNS record.',
    answers: [{ status: 200, description: 'The domains', body: () => DomainListView }],
  })
  async list(@CurrentPrincipal() { tenantId }: Principal): Promise<DomainListView> {
    return { data: (await this.domains.list(tenantId)).map(domainView) };
  }

  @Post()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Add a domain to verify',
    description:
      'The response has the TXT record that verifies it. A domain that was already added is returned with its record. Domains of public email services are rejected.',
    answers: [{ status: 201, description: 'The domain', body: () => DomainView }],
    errors: ['EMAIL_NOT_VERIFIED', 'CONFLICT'],
  })
  async add(@CurrentPrincipal() principal: Principal, @Body() { domain }: DomainInput): Promise<DomainView> {
    return domainView(await this.domains.add(principal, domain));
  }

  @Post(':domain/verify')
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Verify a domain',
    description:
      "Checks the TXT record. A domain belongs to one workspace; it passes to another workspace only if that one's record is found and the first one's isn't. Keep the record: it is checked every day.",
    answers: [{ status: 200, description: 'The verified domain', body: () => DomainView }],
    errors: ['NOT_FOUND', 'DOMAIN_NOT_PROVEN', 'DOMAIN_TAKEN', 'RATE_LIMITED'],
  })
  async verify(@CurrentPrincipal() principal: Principal, @Param('domain') domain: string): Promise<DomainView> {
    return domainView(await this.domains.verify(principal, domain));
  }

  @Delete(':domain')
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Remove a domain',
    description:
      "Users with addresses of this domain can no longer use single sign-on. The last verified domain can't be removed while the workspace requires single sign-on (`CONFLICT`).",
    answers: [{ status: 204, description: 'The domain is removed' }],
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @Param('domain') domain: string): Promise<void> {
    await this.domains.remove(principal, domain);
  }
}

const domainView = ({ domain, token, verifiedAt, missingSince }: MailDomain): DomainView => ({
  domain,
  record: { name: recordName(domain), type: 'TXT', value: token },
  verified: verifiedAt !== null,
  verifiedAt: verifiedAt?.toISOString() ?? null,
  missingSince: missingSince?.toISOString() ?? null,
});

@ApiGroup(SINGLE_SIGN_ON_GROUP)
@Controller('api/tenant/sign-in-policy/single-sign-on')
export class RequirementController {
  constructor(private readonly domains: DomainService) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Get the single sign-on policy',
    description:
      'If it does, two groups can still sign in with a password and two-step verification: owners, and earlier guests who have an address outside the verified domains and never used the provider.',
    answers: [{ status: 200, description: 'The policy', body: () => RequirementView }],
  })
  async get(@CurrentPrincipal() { tenantId }: Principal): Promise<RequirementView> {
    return { required: await this.domains.requiresSingleSignOn(tenantId) };
  }

  @Put()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Set the single sign-on policy',
    description:
      'Passwords stop working for everyone but owners; open sessions stay. Owners keep their password, with two-step verification, in case the provider fails. Requires an enabled provider and a verified domain.',
    answers: [{ status: 200, description: 'The policy', body: () => RequirementView }],
    errors: ['CONFLICT'],
  })
  async set(
    @CurrentPrincipal() principal: Principal,
    @Body() { required }: RequirementInput,
  ): Promise<RequirementView> {
    await this.domains.requireSingleSignOn(principal, required);
    return { required };
  }
}
