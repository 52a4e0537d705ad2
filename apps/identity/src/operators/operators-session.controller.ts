import { Proven, Public, StrategyGuard } from '@crm/access';
import { type TokenPair } from '@crm/contracts';
import { ApiGroup, BodyLimit, CREDENTIALS_BODY_LIMIT, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post, Res, UseGuards } from '@nestjs/common';
import { OPERATORS_SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import {
  DEVICE_TOKEN_DESCRIPTION,
  giveDeviceToken,
  type HeaderReply,
  type SignInOutcome,
} from '../guesses/device-tokens.js';
import { secondFactorRoutes } from '../second-factor/second-factor-routes.js';
import { RefreshInput, TokenPairView } from '../sessions/session.dto.js';
import { SignInView } from '../sign-in/sign-in.dto.js';
import { OperatorSignInInput } from './operator.dto.js';
import { OperatorService } from './operator.service.js';
import { OperatorPasswordStrategy } from './operator-password.strategy.js';

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
