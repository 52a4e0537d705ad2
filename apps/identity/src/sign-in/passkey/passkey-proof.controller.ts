import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import type { TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import {
  giveDeviceToken,
  type HeaderReply,
  PasskeyAnswerInput,
  PasskeyOptionsView,
  TokenPairView,
} from '@crm/identity-views';
import { Body, Controller, Headers, HttpCode, Ip, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { PasskeyService } from './passkey.service.js';

/** Passkeys in use. */
@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
export class PasskeyProofController {
  constructor(private readonly passkeys: PasskeyService) {}

  @Post('login/passkey/options')
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Starts a sign-in with a passkey',
    description:
      'The options are the same for everybody: the authenticator offers the passkeys that it has. They are valid for five minutes, once.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['CONFLICT'],
  })
  signInOptions(): PasskeyOptionsView {
    return this.passkeys.signInOptions();
  }

  @Post('login/passkey')
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Signs in with a passkey',
    description:
      'The authenticator has verified its user, so no second factor is asked for, also where the workspace requires one.',
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    errors: ['INVALID_CREDENTIALS', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED', 'CONFLICT'],
  })
  async signIn(
    @Body() { challengeId, credential }: PasskeyAnswerInput,
    @Ip() address: string,
    @Headers('user-agent') userAgent: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<TokenPair> {
    const from = { address, userAgent: userAgent ?? null };
    const { answer, deviceToken } = await this.passkeys.signIn({ challengeId, credential }, from);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }

  @Post('step-up/passkey/options')
  @NotRepeatable()
  @HttpCode(200)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Starts to prove again with a passkey who uses the session',
    description:
      'The options name the passkeys of the current user. They are valid for five minutes, once, in this session.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['CONFLICT'],
  })
  async stepUpOptions(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
    return this.passkeys.stepUpOptions(principal);
  }

  @Post('step-up/passkey')
  @NotRepeatable()
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Proves again with a passkey who uses the session',
    description: 'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes.',
    answers: [{ status: 204, description: 'The proof is noted' }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
  })
  async stepUp(
    @CurrentPrincipal() principal: Principal,
    @Body() { challengeId, credential }: PasskeyAnswerInput,
  ): Promise<void> {
    await this.passkeys.stepUp(principal, { challengeId, credential });
  }
}
