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
    summary: 'Lists the domains of the workspace',
    description: 'Those that it has proven and those that it wants to prove, with the record that proves them.',
    answers: [{ status: 200, description: 'The domains', body: () => DomainListView }],
  })
  async list(@CurrentPrincipal() { tenantId }: Principal): Promise<DomainListView> {
    return { data: (await this.domains.list(tenantId)).map(domainView) };
  }

  @Post()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Adds a domain to prove',
    description:
      'The answer says which TXT record proves it. A domain that was added before is returned with its record. Domains of mail services that are open to everybody are refused.',
    answers: [{ status: 201, description: 'The domain', body: () => DomainView }],
    errors: ['EMAIL_NOT_VERIFIED', 'CONFLICT'],
  })
  async add(@CurrentPrincipal() principal: Principal, @Body() { domain }: DomainInput): Promise<DomainView> {
    return domainView(await this.domains.add(principal, domain));
  }

  @Post(':domain/verify')
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Proves a domain',
    description:
      'Looks the TXT record up. A domain belongs to one workspace; it passes to another one whose record is there when its own is gone. The record has to stay: it is looked up every day.',
    answers: [{ status: 200, description: 'The domain, which belongs to the workspace now', body: () => DomainView }],
    errors: ['NOT_FOUND', 'DOMAIN_NOT_PROVEN', 'DOMAIN_TAKEN', 'RATE_LIMITED'],
  })
  async verify(@CurrentPrincipal() principal: Principal, @Param('domain') domain: string): Promise<DomainView> {
    return domainView(await this.domains.verify(principal, domain));
  }

  @Delete(':domain')
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Removes a domain',
    description:
      'Users with addresses of this domain can no longer sign in through an identity provider. The last proven domain stays while the workspace requires single sign-on (`CONFLICT`).',
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
    summary: 'Returns whether the workspace requires single sign-on',
    description:
      'If it does, two groups still sign in with a password, never without a second factor: owners, and earlier guests whose address is in no proven domain and who never used the provider.',
    answers: [{ status: 200, description: 'Whether it is required', body: () => RequirementView }],
  })
  async get(@CurrentPrincipal() { tenantId }: Principal): Promise<RequirementView> {
    return { required: await this.domains.requiresSingleSignOn(tenantId) };
  }

  @Put()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Sets whether the workspace requires single sign-on',
    description:
      'Passwords of users who are not owners are refused from then on; open sessions go on. Owners keep their password for the day on which the provider fails, and need a second factor with it. Needs an enabled provider and a proven domain.',
    answers: [{ status: 200, description: 'Whether it is required', body: () => RequirementView }],
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
