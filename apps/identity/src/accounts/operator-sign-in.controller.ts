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
  codes: 'A code from the authenticator app or a recovery code.',
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
    summary: 'Sign in',
    description:
      'The response contains a challenge to complete with a code from the authenticator app. The initial password is accepted for 3 days, and only together with a `newPassword`, which replaces it. In production, an operator without an authenticator app gets a token to set one up. Failed attempts are limited by account and address, by address, and by account; a device that presents the `X-Device-Token` of an earlier response has its own limit.',
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
    summary: 'Refresh the tokens',
    description:
      'Each refresh token works once. A client that lost the response gets the same successor again for 10 seconds; otherwise reusing a token ends its session. A session ends after an hour without a refresh, and after 12 hours at the latest.',
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
    summary: 'Start a sign-in with a passkey',
    description:
      'The options are the same for everyone: the device offers its own passkeys. They are valid once, for 5 minutes.',
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
    summary: 'Sign in with a passkey',
    description: 'The device has verified its user, so no second step is required, not even in production.',
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
