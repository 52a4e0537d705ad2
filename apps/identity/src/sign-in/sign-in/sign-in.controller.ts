import { Proven, Public, StrategyGuard } from '@crm/access';
import type { TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { SignInInput, TokenPairView } from '@crm/identity-views';
import { Body, Controller, Headers, HttpCode, Ip, Post, UseGuards } from '@nestjs/common';
import type { User } from '../../accounts/user/user.entity.js';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import type { MfaRequired } from '../mfa/mfa.service.js';
import { PasswordStrategy } from './password.strategy.js';
import { CodeInput, SignInView } from './sign-in.dto.js';
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
      'If the account has a second factor, the answer contains a challenge instead of tokens and a six-digit code is sent by e-mail.',
    body: { dto: () => SignInInput },
    answers: [
      { status: 200, description: 'The tokens, or the challenge to answer with the code', body: () => SignInView },
    ],
    refusals: ['INVALID_CREDENTIALS'],
  })
  async signIn(
    @Proven() user: User,
    @Ip() address: string,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<TokenPair | MfaRequired> {
    return this.signIns.admit(user, { address, userAgent: userAgent ?? null });
  }

  @Post('mfa/verify')
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Completes a sign-in with the code from the e-mail',
    description: 'A challenge is valid for a few minutes and a few attempts.',
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    refusals: ['INVALID_CREDENTIALS'],
  })
  async verifyCode(
    @Body() input: CodeInput,
    @Ip() address: string,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<TokenPair> {
    return this.signIns.verifyCode(input.challengeId, input.code, { address, userAgent: userAgent ?? null });
  }
}
