import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { giveDeviceToken, type HeaderReply } from './device-tokens.js';
import type { SignInAnswer } from './mfa.service.js';
import { PersonWorkspacesView, SignInView, SwitchInput, WorkspacesInput } from './sign-in.dto.js';
import { WorkspaceSwitchService } from './workspace-switch.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
export class WorkspacesController {
  constructor(private readonly switches: WorkspaceSwitchService) {}

  @Get('workspaces')
  @Access({ right: 'read', person: 'reach' })
  @Describe({
    summary: 'List your workspaces',
    description:
      'Workspaces in which the person is an active user, with their roles. A person with an unverified address has one. A session opened by an identity provider, or from before the address was verified, lists only its own workspace; `partial` is then true.',
    answers: [{ status: 200, description: 'The workspaces', body: () => PersonWorkspacesView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<PersonWorkspacesView> {
    return this.switches.list(principal);
  }

  @Post('workspaces')
  @NotRepeatable()
  @Access({ right: 'read', person: 'reach' })
  @Describe({
    summary: 'List all of your workspaces with your password',
    description:
      'For sessions that list only their own workspace. `POST /api/auth/switch` takes the same password. Wrong passwords count as failed sign-ins.',
    answers: [{ status: 200, description: 'The workspaces', body: () => PersonWorkspacesView }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async listAll(
    @CurrentPrincipal() principal: Principal,
    @Body() { password }: WorkspacesInput,
    @CurrentOrigin() origin: RequestOrigin,
  ): Promise<PersonWorkspacesView> {
    return this.switches.listAll(principal, password, origin);
  }

  @Post('switch')
  @NotRepeatable()
  @Access({ right: 'read', person: 'reach' })
  @Describe({
    summary: 'Switch to another workspace',
    description:
      'Responds like `POST /api/auth/login`; the other workspace may ask for a second step. The current session stays. Without a code, the new session ends with it at the latest and takes over its last authentication. The password is required (`STEP_UP_REQUIRED`) in a session opened by an identity provider or from before the address was verified, and if the other workspace requires setting up two-step verification and the last authentication is older than 10 minutes. Sending it counts as authentication. Wrong passwords count as failed sign-ins.',
    answers: [{ status: 200, description: 'The tokens, or what the sign-in still needs', body: () => SignInView }],
    errors: [
      'NOT_FOUND',
      'TOKEN_REVOKED',
      'STEP_UP_REQUIRED',
      'INVALID_CREDENTIALS',
      'SINGLE_SIGN_ON_REQUIRED',
      'WORKSPACE_SUSPENDED',
      'RATE_LIMITED',
    ],
  })
  async enter(
    @CurrentPrincipal() principal: Principal,
    @Body() input: SwitchInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<SignInAnswer> {
    const { answer, deviceToken } = await this.switches.enter(principal, input, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }
}
