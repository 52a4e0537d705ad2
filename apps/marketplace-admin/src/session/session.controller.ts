import { Proven, Public, StrategyGuard } from '@crm/access';
import { rpc, type TokenPair } from '@crm/contracts';
import { Describe, NotRepeatable, RefreshInput, SignInInput, TokenPairView } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { OperatorPasswordStrategy } from './operator-password.strategy.js';

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
    body: { dto: () => SignInInput },
    answers: [{ status: 200, description: 'Tokens', body: () => TokenPairView }],
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
    summary: 'Exchanges a refresh token',
    answers: [{ status: 200, description: 'A new pair', body: () => TokenPairView }],
    refusals: ['INVALID_REFRESH_TOKEN'],
  })
  async refresh(@Body() { refreshToken }: RefreshInput): Promise<TokenPair> {
    return this.rpc.call(rpc.identity.refreshOperator, { refreshToken });
  }
}
