import { Proven, Public, StrategyGuard } from '@crm/access';
import { rpc, type TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { RefreshInput, SignInInput, TokenPairView } from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { OperatorPasswordStrategy } from './operator-password.strategy.js';

@ApiGroup({
  name: 'Sign-in',
  description: 'Operators sign in here; their tokens are accepted at this address only.',
})
@Controller('api/auth')
export class SessionController {
  constructor(private readonly rpc: Rpc) {}

  @Post('login')
  @UseGuards(StrategyGuard(OperatorPasswordStrategy))
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Signs an operator in',
    description: 'Failed attempts are limited per account and per address.',
    body: { dto: () => SignInInput },
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    refusals: ['INVALID_CREDENTIALS'],
  })
  signIn(@Proven() tokens: TokenPair): TokenPair {
    return tokens;
  }

  @Post('refresh')
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Exchanges a refresh token for a new pair of tokens',
    description: 'Each refresh token works once.',
    answers: [{ status: 200, description: 'The new pair of tokens', body: () => TokenPairView }],
    refusals: ['INVALID_REFRESH_TOKEN'],
  })
  async refresh(@Body() { refreshToken }: RefreshInput): Promise<TokenPair> {
    return this.rpc.call(rpc.identity.refreshOperator, { refreshToken });
  }
}
