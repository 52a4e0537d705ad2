import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { rpc } from '@crm/contracts';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { RecoveryCodesView, StepUpInput } from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { OperatorView } from '../operator/operator.dto.js';
import { SessionListView } from './account.dto.js';

/** The account of the operator who calls. */
@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
export class AccountController {
  constructor(private readonly rpc: Rpc) {}

  @Get('me')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns the current operator',
    description: 'With role, linked workspace and whether an authenticator is in use.',
    answers: [{ status: 200, description: 'The operator', body: () => OperatorView }],
  })
  async me(@CurrentPrincipal() principal: Principal): Promise<OperatorView> {
    return this.rpc.call(rpc.identity.getOperator, {}, principal);
  }

  @Post('logout')
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Signs out',
    description:
      'Ends the session of the access token, which stops working within a second; so does its refresh token.',
    answers: [{ status: 204, description: 'Signed out' }],
  })
  async logout(@CurrentPrincipal() principal: Principal): Promise<void> {
    const { sessionId } = principal;
    if (sessionId !== undefined) await this.rpc.call(rpc.identity.endOperatorSessions, { sessionId }, principal);
  }

  @Get('sessions')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Lists the open sessions of the current operator',
    description: 'With the device and where each was used.',
    answers: [{ status: 200, description: 'The sessions, newest first', body: () => SessionListView }],
  })
  async sessions(@CurrentPrincipal() principal: Principal): Promise<SessionListView> {
    return this.rpc.call(rpc.identity.listOperatorSessions, {}, principal);
  }

  @Delete('sessions')
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Ends every session of the current operator',
    description: 'The current session ends too. Access tokens of these sessions stop working within a second.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
  })
  async endSessions(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.rpc.call(rpc.identity.endOperatorSessions, {}, principal);
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Ends one session of the current operator',
    description: 'Access tokens of the session stop working within a second.',
    answers: [{ status: 204, description: 'The session has ended' }],
  })
  async endSession(@CurrentPrincipal() principal: Principal, @IdParam() sessionId: string): Promise<void> {
    await this.rpc.call(rpc.identity.endOperatorSessions, { sessionId }, principal);
  }

  @Post('step-up')
  @NotRepeatable()
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Proves again who uses the session',
    description:
      'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes. Whoever has an authenticator gives a code of it or a recovery code, everybody else the password.',
    answers: [{ status: 204, description: 'The proof is noted' }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async stepUp(@CurrentPrincipal() principal: Principal, @Body() { password, code }: StepUpInput): Promise<void> {
    const proof = { ...(password !== undefined && { password }), ...(code !== undefined && { code }) };
    await this.rpc.call(rpc.identity.stepUpOperator, proof, principal);
  }

  @Post('mfa/recovery-codes')
  @NotRepeatable()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Replaces the recovery codes of the current operator',
    description: 'Ten new codes; the previous ones stop working. Needs a proof in the last ten minutes.',
    answers: [{ status: 201, description: 'The recovery codes, this once', body: () => RecoveryCodesView }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async replaceRecoveryCodes(@CurrentPrincipal() principal: Principal): Promise<RecoveryCodesView> {
    return this.rpc.call(rpc.identity.replaceOperatorRecoveryCodes, {}, principal);
  }
}
