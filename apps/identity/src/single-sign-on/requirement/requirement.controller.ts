import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Put } from '@nestjs/common';
import { SINGLE_SIGN_ON_GROUP } from '../../api-groups.js';
import { RequirementInput, RequirementView } from './requirement.dto.js';
import { RequirementService } from './requirement.service.js';

@ApiGroup(SINGLE_SIGN_ON_GROUP)
@Controller('api/tenant/sign-in-policy/single-sign-on')
export class RequirementController {
  constructor(private readonly requirements: RequirementService) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns whether the workspace requires single sign-on',
    description: 'Where it does, only owners sign in with a password, and never without a second factor.',
    answers: [{ status: 200, description: 'Whether it is required', body: () => RequirementView }],
  })
  async get(@CurrentPrincipal() { tenantId }: Principal): Promise<RequirementView> {
    return { required: await this.requirements.get(tenantId) };
  }

  @Put()
  @Access({ right: 'own' })
  @Describe({
    summary: 'Sets whether the workspace requires single sign-on',
    description:
      'Passwords of users who are not owners are refused from then on; open sessions go on. Owners keep their password for the day on which the provider fails, and need a second factor with it. Needs an enabled provider and a proven domain.',
    answers: [{ status: 200, description: 'Whether it is required', body: () => RequirementView }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async set(
    @CurrentPrincipal() principal: Principal,
    @Body() { required }: RequirementInput,
  ): Promise<RequirementView> {
    await this.requirements.set(principal, required);
    return { required };
  }
}
