import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { OPERATORS_SIGN_IN_GROUP } from '../api-groups.js';
import { passkeyRoutes, passkeyStepUpRoutes } from '../sign-in/passkey.controller.js';
import { RecoveryCodesView, StepUpInput } from '../sign-in/sign-in.dto.js';
import { OperatorView, SessionListView } from './operator.dto.js';
import { OperatorPasskeyService, OperatorService } from './operator.service.js';

@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth')
@Access({ right: 'read' })
export class OperatorsAccountController {
  constructor(private readonly operators: OperatorService) {}

  @Get('me')
  @Describe({
    summary: 'Returns the current operator',
    description: 'With role, linked workspace and whether an authenticator is in use.',
    answers: [{ status: 200, description: 'The operator', body: () => OperatorView }],
  })
  async me(@CurrentPrincipal() principal: Principal): Promise<OperatorView> {
    return this.operators.describe(principal);
  }

  @Post('logout')
  @HttpCode(204)
  @Describe({
    summary: 'Signs out',
    description:
      'Ends the session of the access token, which stops working within a second; so does its refresh token.',
    answers: [{ status: 204, description: 'Signed out' }],
  })
  async logout(@CurrentPrincipal() principal: Principal): Promise<void> {
    const { sessionId } = principal;
    if (sessionId !== undefined) await this.operators.endSession(principal, sessionId);
  }

  @Get('sessions')
  @Describe({
    summary: 'Lists the open sessions of the current operator',
    description: 'With the device and where each was used.',
    answers: [{ status: 200, description: 'The sessions, newest first', body: () => SessionListView }],
  })
  async sessions(@CurrentPrincipal() principal: Principal): Promise<SessionListView> {
    return { data: await this.operators.listSessions(principal) };
  }

  @Delete('sessions')
  @HttpCode(204)
  @Describe({
    summary: 'Ends every session of the current operator',
    description: 'The current session ends too. Access tokens of these sessions stop working within a second.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
  })
  async endSessions(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.operators.endAllSessions(principal);
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @Describe({
    summary: 'Ends one session of the current operator',
    description: 'Access tokens of the session stop working within a second.',
    answers: [{ status: 204, description: 'The session has ended' }],
  })
  async endSession(@CurrentPrincipal() principal: Principal, @IdParam() sessionId: string): Promise<void> {
    await this.operators.endSession(principal, sessionId);
  }

  @Post('step-up')
  @NotRepeatable()
  @HttpCode(204)
  @Describe({
    summary: 'Proves again who uses the session',
    description:
      'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes. Whoever has an authenticator gives a code of it or a recovery code, everybody else the password.',
    answers: [{ status: 204, description: 'The proof is noted' }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async stepUp(@CurrentPrincipal() principal: Principal, @Body() proof: StepUpInput): Promise<void> {
    await this.operators.stepUp(principal, proof);
  }

  @Post('mfa/recovery-codes')
  @NotRepeatable()
  @Describe({
    summary: 'Replaces the recovery codes of the current operator',
    description: 'Ten new codes; the previous ones stop working. Needs a proof in the last ten minutes.',
    answers: [{ status: 201, description: 'The recovery codes, this once', body: () => RecoveryCodesView }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async replaceRecoveryCodes(@CurrentPrincipal() principal: Principal): Promise<RecoveryCodesView> {
    return { recoveryCodes: await this.operators.replaceRecoveryCodes(principal) };
  }
}

@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth')
@Access({ right: 'read' })
export class OperatorsPasskeyController extends passkeyRoutes(
  { holder: 'operator', owner: 'the operator', secondFactor: 'authenticator', proof: 'a proof' },
  passkeyStepUpRoutes('operator'),
) {
  constructor(override readonly passkeys: OperatorPasskeyService) {
    super();
  }
}
