import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Headers, HttpCode, Patch, Post } from '@nestjs/common';
import { OPERATORS_SIGN_IN_GROUP } from '../api-groups.js';
import {
  PasskeyAnswerInput,
  PasskeyInput,
  PasskeyListView,
  PasskeyNameInput,
  PasskeyOptionsView,
  PasskeyView,
} from '../sign-in/passkey.dto.js';
import { passkeyView } from '../sign-in/passkey.service.js';
import { RecoveryCodesView, StepUpInput } from '../sign-in/sign-in.dto.js';
import { OperatorView, SessionListView } from './operator.dto.js';
import { OperatorService } from './operator.service.js';
import { OperatorPasskeyService } from './operator-passkey.service.js';

/** The account of the operator who calls. */
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

/** The passkeys of the operator who calls. */
@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth')
@Access({ right: 'read' })
export class OperatorsPasskeyController {
  constructor(private readonly passkeys: OperatorPasskeyService) {}

  @Get('passkeys')
  @Describe({
    summary: 'Lists the passkeys of the current operator',
    description: 'At most ten.',
    answers: [{ status: 200, description: 'The passkeys, oldest first', body: () => PasskeyListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<PasskeyListView> {
    return { data: (await this.passkeys.list(principal)).map(passkeyView) };
  }

  @Post('passkeys/options')
  @NotRepeatable()
  @HttpCode(200)
  @Describe({
    summary: 'Starts to set up a passkey',
    description:
      'The options ask for a passkey that is kept by the authenticator and for user verification. They are valid for five minutes, once, in this session. Needs a proof in the last ten minutes.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async options(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
    return this.passkeys.registrationOptions(principal);
  }

  @Post('passkeys')
  @NotRepeatable()
  @Describe({
    summary: 'Adds a passkey',
    description:
      'From now on it signs in without password and authenticator. The operator is told by e-mail. Needs a proof in the last ten minutes.',
    answers: [{ status: 201, description: 'The passkey', body: () => PasskeyView }],
    errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async register(
    @CurrentPrincipal() principal: Principal,
    @Body() { challengeId, credential, name }: PasskeyInput,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<PasskeyView> {
    const registration = { challengeId, credential, name, userAgent: userAgent ?? null };
    return passkeyView(await this.passkeys.register(principal, registration));
  }

  @Patch('passkeys/:id')
  @Describe({
    summary: 'Renames a passkey',
    description: 'The name is for the operator alone.',
    answers: [{ status: 200, description: 'The passkey', body: () => PasskeyView }],
  })
  async rename(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { name }: PasskeyNameInput,
  ): Promise<PasskeyView> {
    return passkeyView(await this.passkeys.rename(principal, id, name));
  }

  @Delete('passkeys/:id')
  @HttpCode(204)
  @Describe({
    summary: 'Removes a passkey',
    description:
      'It does not sign in any more; sessions that it opened go on. The operator is told by e-mail. Needs a proof in the last ten minutes.',
    answers: [{ status: 204, description: 'The passkey is removed' }],
    errors: ['STEP_UP_REQUIRED'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.passkeys.remove(principal, id);
  }

  @Post('step-up/passkey/options')
  @NotRepeatable()
  @HttpCode(200)
  @Describe({
    summary: 'Starts to prove again with a passkey who uses the session',
    description:
      'The options name the passkeys of the current operator. They are valid for five minutes, once, in this session.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['CONFLICT'],
  })
  async stepUpOptions(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
    return this.passkeys.stepUpOptions(principal);
  }

  @Post('step-up/passkey')
  @NotRepeatable()
  @HttpCode(204)
  @Describe({
    summary: 'Proves again with a passkey who uses the session',
    description: 'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes.',
    answers: [{ status: 204, description: 'The proof is noted' }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
  })
  async stepUp(
    @CurrentPrincipal() principal: Principal,
    @Body() { challengeId, credential }: PasskeyAnswerInput,
  ): Promise<void> {
    await this.passkeys.stepUp(principal, { challengeId, credential });
  }
}
