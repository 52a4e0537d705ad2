import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { HookSecretInput, HookView, NewHookSecretView, WORKFLOW_GROUP } from './hook.dto.js';
import { HookService } from './hook.service.js';

@ApiGroup(WORKFLOW_GROUP)
@Controller('api/crm/automations/workflows/:id/hook')
@Access({ right: 'administer', proof: false })
export class HookSecretController {
  constructor(private readonly hooks: HookService) {}

  @Get()
  @Describe({
    summary: 'Get a hook URL',
    description:
      'The URL contains a secret: anyone who has it can start runs. Also returns when the secret was created and last used, and the previous one while it is valid.',
    answers: [{ status: 200, description: 'The hook URL', body: () => HookView }],
  })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<HookView> {
    return this.hooks.get(principal, id);
  }

  @Post()
  @Access({ right: 'administer', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Rotate a hook URL',
    description: 'Creates a new hook URL. The previous one keeps working for the requested number of hours.',
    answers: [{ status: 201, description: 'The new hook URL', body: () => NewHookSecretView }],
  })
  rotate(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input?: HookSecretInput,
  ): Promise<NewHookSecretView> {
    return this.hooks.rotate(principal, id, input);
  }

  @Delete('previous-secret')
  @Describe({
    summary: 'Revoke the previous hook URL',
    description: 'Use this if the URL has leaked, or once every upstream system uses the new one.',
    answers: [{ status: 204, description: 'The previous URL no longer works' }],
  })
  async endPrevious(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.hooks.endPrevious(principal, id);
  }
}
