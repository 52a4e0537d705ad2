import { Proven, Public, StrategyGuard } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Controller, Post, Res, UseGuards } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { DEVICE_TOKEN_DESCRIPTION, giveDeviceToken, type HeaderReply } from '../guesses/device-tokens.js';
import type { SignInAnswer } from '../second-factor/mfa-request.service.js';
import { secondFactorRoutes } from '../second-factor/second-factor-routes.js';
import { PasswordStrategy } from './password.strategy.js';
import { SignInInput, SignInView } from './sign-in.dto.js';
import { type AuthenticatedUser, SignInService } from './sign-in.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
export class SignInController extends secondFactorRoutes({
  codes: 'The code from the email, a code from the authenticator app, or a recovery code.',
  enrolment: 'For a workspace that requires two-step verification. ',
  errors: ['WORKSPACE_SUSPENDED'],
}) {
  constructor(override readonly signIns: SignInService) {
    super();
  }

  @Post('login')
  @UseGuards(StrategyGuard(PasswordStrategy))
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Sign in with email and password',
    description:
      "Signs in to the workspace named in `workspace`, or to the last one used. If that one isn't available, another of the person's workspaces is used. An account with an unverified address signs in to its own workspace only. If the account has two-step verification, the response contains a challenge instead of tokens; complete it with a code from the authenticator app or, without one, with a six-digit code sent by email. If the workspace requires two-step verification and the account has none, the response contains a token to set up an authenticator app. Failed attempts are limited by account and address, by address, and by account (`RATE_LIMITED` with `Retry-After`, also for unknown addresses); a device that presents the `X-Device-Token` of an earlier response has its own limit. In production, a password chosen by an admin is accepted only together with a `newPassword`, which replaces it.",
    headers: [DEVICE_TOKEN_DESCRIPTION],
    body: { dto: () => SignInInput },
    answers: [{ status: 200, description: 'The tokens, or what the sign-in still needs', body: () => SignInView }],
    errors: ['INVALID_CREDENTIALS', 'WEAK_PASSWORD', 'SINGLE_SIGN_ON_REQUIRED', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED'],
  })
  async signIn(
    @Proven() user: AuthenticatedUser,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<SignInAnswer> {
    const { answer, deviceToken } = await this.signIns.admit(user, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }
}
