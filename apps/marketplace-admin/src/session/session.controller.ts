import { Proven, Public, StrategyGuard } from '@crm/access';
import { type OperatorSignIn, rpc, type TokenPair } from '@crm/contracts';
import { ApiGroup, BodyLimit, CREDENTIALS_BODY_LIMIT, Describe, NotRepeatable } from '@crm/http';
import {
  AuthenticatorView,
  CodeInput,
  DEVICE_TOKEN_DESCRIPTION,
  EnrolledView,
  EnrolmentCodeInput,
  EnrolmentInput,
  giveDeviceToken,
  type HeaderReply,
  RefreshInput,
  SignInInput,
  SignInView,
  TokenPairView,
} from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Headers, HttpCode, Ip, Post, Res, UseGuards } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CredentialLimit } from './credential-limit.js';
import { OperatorPasswordStrategy } from './operator-password.strategy.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
@UseGuards(CredentialLimit)
export class SessionController {
  constructor(private readonly rpc: Rpc) {}

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
  signIn(@Proven() outcome: OperatorSignIn, @Res({ passthrough: true }) reply: HeaderReply): OperatorSignIn {
    const { deviceToken, ...answer } = outcome;
    giveDeviceToken(reply, deviceToken);
    return answer;
  }

  @Post('mfa/verify')
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Completes a sign-in with a code',
    description:
      'A code of the authenticator or a recovery code. A challenge is valid for ten minutes and five attempts; after five wrong codes of an account each further one doubles the wait.',
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async verifyCode(
    @Body() { challengeId, code }: CodeInput,
    @Ip() address: string,
    @Headers('user-agent') userAgent: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<TokenPair> {
    const input = { challengeId, code, address, userAgent: userAgent ?? null };
    const { deviceToken, ...answer } = await this.rpc.call(rpc.identity.verifyOperatorCode, input);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }

  @Post('mfa/enrolment')
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Sets up the authenticator that a sign-in demands',
    description: 'The enrolment token can do nothing else.',
    answers: [{ status: 200, description: 'What the app is set up with, this once', body: () => AuthenticatorView }],
    errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
  })
  async startEnrolment(@Body() { enrolmentToken }: EnrolmentInput): Promise<AuthenticatorView> {
    return this.rpc.call(rpc.identity.startOperatorEnrolment, { enrolmentToken });
  }

  @Post('mfa/enrolment/confirm')
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Completes a sign-in with the first code of a new authenticator',
    description: 'The answer contains the tokens and, this once, ten recovery codes.',
    answers: [{ status: 200, description: 'The tokens and the recovery codes', body: () => EnrolledView }],
    errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
  })
  async confirmEnrolment(
    @Body() { enrolmentToken, code }: EnrolmentCodeInput,
    @Ip() address: string,
    @Headers('user-agent') userAgent: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<EnrolledView> {
    const input = { enrolmentToken, code, address, userAgent: userAgent ?? null };
    const { deviceToken, ...answer } = await this.rpc.call(rpc.identity.confirmOperatorEnrolment, input);
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
  async refresh(
    @Body() { refreshToken }: RefreshInput,
    @Ip() address: string,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<TokenPair> {
    const origin = { address, userAgent: userAgent ?? null };
    return this.rpc.call(rpc.identity.refreshOperator, { refreshToken, ...origin });
  }
}
