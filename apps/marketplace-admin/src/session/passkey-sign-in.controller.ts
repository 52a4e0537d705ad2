import { Public } from '@crm/access';
import { rpc, type TokenPair } from '@crm/contracts';
import { ApiGroup, BodyLimit, CREDENTIALS_BODY_LIMIT, Describe, NotRepeatable } from '@crm/http';
import {
  giveDeviceToken,
  type HeaderReply,
  PasskeyAnswerInput,
  PasskeyOptionsView,
  TokenPairView,
} from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Headers, HttpCode, Ip, Post, Res, UseGuards } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CredentialLimit } from './credential-limit.js';

/** Sign-in of operators by passkey. */
@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/login/passkey')
@UseGuards(CredentialLimit)
export class PasskeySignInController {
  constructor(private readonly rpc: Rpc) {}

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
    return this.rpc.call(rpc.identity.getOperatorPasskeySignInOptions, {});
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
    @Ip() address: string,
    @Headers('user-agent') userAgent: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<TokenPair> {
    const request = { challengeId, credential, address, userAgent: userAgent ?? null };
    const { deviceToken, ...tokens } = await this.rpc.call(rpc.identity.signInOperatorByPasskey, request);
    giveDeviceToken(reply, deviceToken);
    return tokens;
  }
}
