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
    summary: 'Lists the workspaces of the current user',
    description:
      'Those in which the person is an active user, each with the roles there. Whoever has not proven their address is in one. A session that a provider has opened, or one from before the address was verified, sees its own workspace: `partial` is true then.',
    answers: [{ status: 200, description: 'The workspaces', body: () => PersonWorkspacesView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<PersonWorkspacesView> {
    return this.switches.list(principal);
  }

  @Post('workspaces')
  @NotRepeatable()
  @Access({ right: 'read', person: 'reach' })
  @Describe({
    summary: 'Lists all workspaces of the current user, with their password',
    description:
      'For sessions that see their own workspace alone. `POST /api/auth/switch` takes the same password. Wrong ones count as failed sign-ins.',
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
    summary: 'Signs in to another workspace of the current user',
    description:
      'Answers as `POST /api/auth/login`, and is completed as that, by what the other workspace demands. The current session stays; without a code the new one ends with it at the latest, and what was proven last in the one was in the other. In a session that a provider has opened, or one from before the address was verified, the password is required (`STEP_UP_REQUIRED`), and so it is where the other workspace has the user set up a second factor and nothing was proven in the last ten minutes; a password that is given is a new proof. Wrong ones count as failed sign-ins.',
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
