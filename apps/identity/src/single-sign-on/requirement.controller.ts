import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Put } from '@nestjs/common';
import { SINGLE_SIGN_ON_GROUP } from '../api-groups.js';
import { DomainService } from './domain.service.js';
import { RequirementInput, RequirementView } from './single-sign-on.dto.js';

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
