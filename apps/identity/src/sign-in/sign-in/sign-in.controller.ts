import { Proven, Public, StrategyGuard } from '@crm/access';
import type { TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import {
  AuthenticatorView,
  CodeInput,
  DEVICE_TOKEN_DESCRIPTION,
  EnrolledView,
  EnrolmentCodeInput,
  EnrolmentInput,
  giveDeviceToken,
  type HeaderReply,
  SignInInput,
  SignInView,
  TokenPairView,
} from '@crm/identity-views';
import { Body, Controller, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import type { SignInUser } from '../../accounts/user/user.repository.js';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../../audit/trail/request-origin.decorator.js';
import type { EnrolmentRequired, MfaRequired } from '../mfa/mfa-request.service.js';
import { PasswordStrategy } from './password.strategy.js';
import { SignInService } from './sign-in.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
export class SignInController {
  constructor(private readonly signIns: SignInService) {}

  @Post('login')
  @UseGuards(StrategyGuard(PasswordStrategy))
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Signs in with e-mail and password',
    description:
      'If the account has a second factor, the answer contains a challenge instead of tokens: it is completed with a code of the authenticator or, without one, with a six-digit code that is sent by e-mail. If the workspace requires a second factor and the account has none, the answer contains a token with which an authenticator is set up. Failed attempts are limited by account and address, by address, and by account from whatever addresses (`RATE_LIMITED` with `Retry-After`, for addresses without an account too); a device that presents the `X-Device-Token` of an earlier answer has an allowance of its own.',
    headers: [DEVICE_TOKEN_DESCRIPTION],
    body: { dto: () => SignInInput },
    answers: [{ status: 200, description: 'The tokens, or what the sign-in still needs', body: () => SignInView }],
    errors: ['INVALID_CREDENTIALS', 'SINGLE_SIGN_ON_REQUIRED', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED'],
  })
  async signIn(
    @Proven() user: SignInUser,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<TokenPair | MfaRequired | EnrolmentRequired> {
    const { answer, deviceToken } = await this.signIns.admit(user, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }

  @Post('mfa/verify')
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Completes a sign-in with a code',
    description:
      'The code from the e-mail, a code of the authenticator or a recovery code. A challenge is valid for ten minutes and five attempts; after five wrong codes of an account each further one doubles the wait.',
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    errors: ['INVALID_CREDENTIALS', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED'],
  })
  async verifyCode(
    @Body() input: CodeInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<TokenPair> {
    const { answer, deviceToken } = await this.signIns.verifyCode(input.challengeId, input.code, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }

  @Post('mfa/enrolment')
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Sets up the authenticator that a sign-in demands',
    description: 'For a workspace that requires a second factor. The enrolment token can do nothing else.',
    answers: [{ status: 200, description: 'What the app is set up with, this once', body: () => AuthenticatorView }],
    errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
  })
  async startEnrolment(@Body() { enrolmentToken }: EnrolmentInput): Promise<AuthenticatorView> {
    return this.signIns.startEnrolment(enrolmentToken);
  }

  @Post('mfa/enrolment/confirm')
  @NotRepeatable()
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
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<EnrolledView> {
    const { answer, deviceToken } = await this.signIns.confirmEnrolment(enrolmentToken, code, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }
}
