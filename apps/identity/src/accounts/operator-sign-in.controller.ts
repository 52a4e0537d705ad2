import { ApplicationStrategy, type CredentialRequest, Proven, Public, StrategyGuard } from '@crm/access';
import type { TokenPair } from '@crm/contracts';
import { ApiGroup, BodyLimit, bodyOf, CREDENTIALS_BODY_LIMIT, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, HttpCode, Injectable, Post, Res, UseGuards } from '@nestjs/common';
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
import { PasskeyAnswerInput, PasskeyOptionsView } from '../sign-in/passkey.dto.js';
import { secondFactorRoutes } from '../sign-in/sign-in.controller.js';
import { SignInInput, SignInView } from '../sign-in/sign-in.dto.js';
import { OperatorPasskeyService, OperatorService } from './operator.service.js';

/** Proves by e-mail address and password which operator signs in; what is proven may still need a second factor. */
@Injectable()
export class OperatorPasswordStrategy extends ApplicationStrategy<SignInOutcome<SignInView>> {
  constructor(private readonly operators: OperatorService) {
    super();
  }

  /** @throws PlatformError VALIDATION_FAILED, INVALID_CREDENTIALS, RATE_LIMITED */
  override async validate({ body, headers, ip }: CredentialRequest): Promise<SignInOutcome<SignInView>> {
    const { email, password } = await bodyOf(SignInInput, body);
    const origin = { address: ip, userAgent: headers['user-agent'] ?? null };
    return this.operators.signIn(email, password, origin, headers[DEVICE_TOKEN_HEADER]);
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
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Signs an operator in',
    description:
      'The answer contains a challenge to complete with a code of the authenticator. In production an operator without an authenticator gets a token with which one is set up. Failed attempts are limited by account and address, by address, and by account from whatever addresses; a device that presents the `X-Device-Token` of an earlier answer has an allowance of its own.',
    headers: [DEVICE_TOKEN_DESCRIPTION],
    body: { dto: () => SignInInput },
    answers: [{ status: 200, description: 'The tokens, or what the sign-in still needs', body: () => SignInView }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
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
  @HttpCode(200)
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
  @HttpCode(200)
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
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Signs an operator in with a passkey',
    description: 'The authenticator has verified its user, so no second factor is asked for, in production neither.',
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
  })
  async signIn(
    @Body() { challengeId, credential }: PasskeyAnswerInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<TokenPair> {
    const { answer, deviceToken } = await this.passkeys.signIn({ challengeId, credential }, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }
}
