import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, BodyLimit, CREDENTIALS_BODY_LIMIT, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Post, Res } from '@nestjs/common';
import { OPERATORS_SIGN_IN_GROUP } from '../api-groups.js';
import { giveDeviceToken, type HeaderReply } from '../guesses/device-tokens.js';
import { RecoveryCodesView, StepUpInput } from '../second-factor/second-factor.dto.js';
import { OperatorPasswordInput, OperatorView, SessionListView } from './operator.dto.js';
import { OperatorService } from './operator.service.js';
import { OperatorPasswordService } from './operator-password.service.js';

@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth')
@Access({ right: 'read', proof: false })
export class OperatorsAccountController {
  constructor(
    private readonly operators: OperatorService,
    private readonly passwords: OperatorPasswordService,
  ) {}

  @Get('me')
  @Describe({
    summary: 'Get the current operator',
    description: 'Includes the role, the linked workspace, and whether an authenticator app is in use.',
    answers: [{ status: 200, description: 'The operator', body: () => OperatorView }],
  })
  async me(@CurrentPrincipal() principal: Principal): Promise<OperatorView> {
    return this.operators.describe(principal);
  }

  @Post('logout')
  @Describe({
    summary: 'Sign out',
    description: 'Ends the session. Its access token and refresh token stop working within a second.',
    answers: [{ status: 204, description: 'Signed out' }],
  })
  async logout(@CurrentPrincipal() principal: Principal): Promise<void> {
    const { sessionId } = principal;
    if (sessionId !== undefined) await this.operators.endSession(principal, sessionId);
  }

  @Get('sessions')
  @Describe({
    summary: 'List your sessions',
    description: 'Includes the device and where each session was used.',
    answers: [{ status: 200, description: 'The sessions, newest first', body: () => SessionListView }],
  })
  async sessions(@CurrentPrincipal() principal: Principal): Promise<SessionListView> {
    return { data: await this.operators.listSessions(principal) };
  }

  @Delete('sessions')
  @Describe({
    summary: 'End all of your sessions',
    description: 'The current session ends, too. Their access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
  })
  async endSessions(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.operators.endAllSessions(principal);
  }

  @Delete('sessions/:id')
  @Describe({
    summary: 'End one of your sessions',
    description: "The session's access tokens stop working within a second.",
    answers: [{ status: 204, description: 'The session has ended' }],
  })
  async endSession(@CurrentPrincipal() principal: Principal, @IdParam() sessionId: string): Promise<void> {
    await this.operators.endSession(principal, sessionId);
  }

  @Post('step-up')
  @NotRepeatable()
  @Describe({
    summary: 'Re-authenticate the current session',
    description:
      'Calls rejected with `STEP_UP_REQUIRED` are accepted for the next 10 minutes. With an authenticator app, send an app code or a recovery code; otherwise send the password.',
    answers: [{ status: 204, description: 'The session is re-authenticated' }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async stepUp(@CurrentPrincipal() principal: Principal, @Body() proof: StepUpInput): Promise<void> {
    await this.operators.stepUp(principal, proof);
  }

  @Post('password')
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Describe({
    summary: 'Change your password',
    description: 'The current session stays; all others end.',
    answers: [{ status: 204, description: "The password is changed; `X-Device-Token` has the device's new token" }],
    errors: ['INVALID_CREDENTIALS', 'WEAK_PASSWORD', 'RATE_LIMITED'],
  })
  async changePassword(
    @CurrentPrincipal() principal: Principal,
    @Body() input: OperatorPasswordInput,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<void> {
    giveDeviceToken(reply, await this.passwords.change(principal, input));
  }

  @Post('mfa/recovery-codes')
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Replace your recovery codes',
    description: 'Returns 10 new codes. The previous ones stop working.',
    answers: [{ status: 201, description: 'The recovery codes, shown once', body: () => RecoveryCodesView }],
    errors: ['CONFLICT'],
  })
  async replaceRecoveryCodes(@CurrentPrincipal() principal: Principal): Promise<RecoveryCodesView> {
    return { recoveryCodes: await this.operators.replaceRecoveryCodes(principal) };
  }
}
