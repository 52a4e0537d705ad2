import { Public } from '@crm/access';
import { rpc, type TokenPair } from '@crm/contracts';
import { Describe, NotRepeatable, RefreshInput, SignInInput, TokenPairView } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';

@Controller('api/auth')
export class SessionController {
  constructor(private readonly rpc: Rpc) {}

  /** identity counts the failures, by account and by the address given here. */
  @Post('login')
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Signs an operator in',
    answers: [{ status: 200, description: 'Tokens', body: () => TokenPairView }],
    refusals: ['INVALID_CREDENTIALS'],
  })
  async signIn(@Body() { email, password }: SignInInput, @Ip() address: string): Promise<TokenPair> {
    return this.rpc.call(rpc.identity.loginOperator, { email, password, address });
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
