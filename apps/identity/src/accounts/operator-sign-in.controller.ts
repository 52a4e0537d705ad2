import {
  Access,
  ApplicationStrategy,
  type CredentialRequest,
  CurrentPrincipal,
  type Principal,
  Proven,
  Public,
  StrategyGuard,
} from '@crm/access';
import { type TokenPair } from '@crm/contracts';
import { ApiGroup, BodyLimit, bodyOf, CREDENTIALS_BODY_LIMIT, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Injectable, Post, Res, UseGuards } from '@nestjs/common';
import { OPERATORS_SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { RefreshInput, TokenPairView } from '../sessions/session.dto.js';
import {
  DEVICE_TOKEN_DESCRIPTION,
  DEVICE_TOKEN_HEADER,
  giveDeviceToken,
  type HeaderReply,
  type SignInOutcome,
} from '../sign-in/device-tokens.js';
import { passkeyRoutes, passkeyStepUpRoutes } from '../sign-in/passkey.controller.js';
import { PasskeyAnswerInput, PasskeyOptionsView } from '../sign-in/passkey.dto.js';
import { secondFactorRoutes } from '../sign-in/sign-in.controller.js';
import { RecoveryCodesView, SignInView, StepUpInput } from '../sign-in/sign-in.dto.js';
import { OperatorPasswordInput, OperatorSignInInput, OperatorView, SessionListView } from './operator.dto.js';
import { OperatorService } from './operator.service.js';
import { OperatorPasswordService } from './operator-password.service.js';
import { OperatorPasskeyService } from './operator-session.service.js';

/** Proves by e-mail address and password which operator signs in; what is proven may still need a second factor. */
@Injectable()
export class OperatorPasswordStrategy extends ApplicationStrategy<SignInOutcome<SignInView>> {
  constructor(private readonly operators: OperatorService) {
    super();
  }

  /** @throws PlatformError VALIDATION_FAILED, WEAK_PASSWORD, INVALID_CREDENTIALS, RATE_LIMITED */
  override async validate({ body, headers, ip }: CredentialRequest): Promise<SignInOutcome<SignInView>> {
    const input = await bodyOf(OperatorSignInInput, body);
    const origin = { address: ip, userAgent: headers['user-agent'] ?? null };
    return this.operators.signIn(input, origin, headers[DEVICE_TOKEN_HEADER]);
  }
}

@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth')
export class OperatorsSessionController extends secondFactorRoutes({
  codes: 'A code of the authenticator or a recovery code.',
  bodyLimit: CREDENTIALS_BODY_LIMIT,
}) {
  constructor(override readonly signIns: OperatorService) {
    super();
  }

  @Post('login')
  @UseGuards(StrategyGuard(OperatorPasswordStrategy))
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Public()
  @Describe({
    summary: 'Signs an operator in',
    description:
      'The answer contains a challenge to complete with a code of the authenticator. The password that an operator was created with is accepted for three days, and only together with a `newPassword`, which takes its place. In production an operator without an authenticator gets a token with which one is set up. Failed attempts are limited by account and address, by address, and by account from whatever addresses; a device that presents the `X-Device-Token` of an earlier answer has an allowance of its own.',
    headers: [DEVICE_TOKEN_DESCRIPTION],
    body: { dto: () => OperatorSignInInput },
    example: { email: 'operator@platform.test', password: 'correct-horse-battery-staple' },
    answers: [{ status: 200, description: 'The tokens, or what the sign-in still needs', body: () => SignInView }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'WEAK_PASSWORD'],
  })
  signIn(
    @Proven() { answer, deviceToken }: SignInOutcome<SignInView>,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): SignInView {
    giveDeviceToken(reply, deviceToken);
    return answer;
  }

  @Post('refresh')
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Public()
  @Describe({
    summary: 'Exchanges a refresh token for a new pair of tokens',
    description:
      'Each refresh token works once. A client that lost the answer gets the same successor again for ten seconds; presenting a spent token otherwise ends its session. A session ends after an hour without a refresh, and after twelve hours at the latest.',
    answers: [{ status: 200, description: 'The new pair of tokens', body: () => TokenPairView }],
    errors: ['INVALID_REFRESH_TOKEN'],
  })
  async refresh(@Body() { refreshToken }: RefreshInput, @CurrentOrigin() origin: RequestOrigin): Promise<TokenPair> {
    return this.signIns.refresh(refreshToken, origin);
  }
}

@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth/login/passkey')
export class OperatorsPasskeySignInController {
  constructor(private readonly passkeys: OperatorPasskeyService) {}

  @Post('options')
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Public()
  @Describe({
    summary: 'Starts a sign-in with a passkey',
    description:
      'The options are the same for everybody: the authenticator offers the passkeys that it has. They are valid for five minutes, once.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['RATE_LIMITED', 'CONFLICT'],
  })
  async options(): Promise<PasskeyOptionsView> {
    return this.passkeys.signInOptions();
  }

  @Post()
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Public()
  @Describe({
    summary: 'Signs an operator in with a passkey',
    description: 'The authenticator has verified its user, so no second factor is asked for, in production neither.',
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
  })
  async signIn(
    @Body() input: PasskeyAnswerInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<TokenPair> {
    const { answer, deviceToken } = await this.passkeys.signIn(input, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }
}

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
    summary: 'Returns the current operator',
    description: 'With role, linked workspace and whether an authenticator is in use.',
    answers: [{ status: 200, description: 'The operator', body: () => OperatorView }],
  })
  async me(@CurrentPrincipal() principal: Principal): Promise<OperatorView> {
    return this.operators.describe(principal);
  }

  @Post('logout')
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
  @Describe({
    summary: 'Ends every session of the current operator',
    description: 'The current session ends too. Access tokens of these sessions stop working within a second.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
  })
  async endSessions(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.operators.endAllSessions(principal);
  }

  @Delete('sessions/:id')
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

  @Post('password')
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Describe({
    summary: 'Changes the password of the current operator',
    description: 'The session of the call stays; all others end, and with them what was begun elsewhere.',
    answers: [
      { status: 204, description: 'The password is changed; `X-Device-Token` has the new token of the device' },
    ],
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
    summary: 'Replaces the recovery codes of the current operator',
    description: 'Ten new codes; the previous ones stop working.',
    answers: [{ status: 201, description: 'The recovery codes, this once', body: () => RecoveryCodesView }],
    errors: ['CONFLICT'],
  })
  async replaceRecoveryCodes(@CurrentPrincipal() principal: Principal): Promise<RecoveryCodesView> {
    return { recoveryCodes: await this.operators.replaceRecoveryCodes(principal) };
  }
}

@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth')
@Access({ right: 'read', proof: false })
export class OperatorsPasskeyController extends passkeyRoutes(
  { holder: 'operator', owner: 'the operator', secondFactor: 'authenticator' },
  passkeyStepUpRoutes('operator'),
) {
  constructor(override readonly passkeys: OperatorPasskeyService) {
    super();
  }
}
