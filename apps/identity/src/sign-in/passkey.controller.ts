import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import type { TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Headers, HttpCode, Ip, Patch, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { TokenPairView } from '../sessions/session.dto.js';
import { giveDeviceToken, type HeaderReply } from './device-tokens.js';
import {
  PasskeyAnswerInput,
  PasskeyInput,
  PasskeyListView,
  PasskeyNameInput,
  PasskeyOptionsView,
  PasskeyView,
} from './passkey.dto.js';
import { PasskeyService, passkeyView } from './passkey.service.js';

/** The passkeys of the user who calls. */
@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/passkeys')
@Access({ right: 'read' })
export class PasskeyController {
  constructor(private readonly passkeys: PasskeyService) {}

  @Get()
  @Describe({
    summary: 'Lists the passkeys of the current user',
    description: 'At most ten.',
    answers: [{ status: 200, description: 'The passkeys, oldest first', body: () => PasskeyListView }],
  })
  async list(@CurrentPrincipal() principal: Principal): Promise<PasskeyListView> {
    return { data: (await this.passkeys.list(principal)).map(passkeyView) };
  }

  @Post('options')
  @NotRepeatable()
  @HttpCode(200)
  @Describe({
    summary: 'Starts to set up a passkey',
    description:
      'The options ask for a passkey that is kept by the authenticator and for user verification. They are valid for five minutes, once, in this session. Needs a proof of the password or second factor in the last ten minutes.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async options(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
    return this.passkeys.registrationOptions(principal);
  }

  @Post()
  @NotRepeatable()
  @Describe({
    summary: 'Adds a passkey',
    description:
      'From now on it signs in without password and second factor. The user is told by e-mail. Needs a proof of the password or second factor in the last ten minutes.',
    answers: [{ status: 201, description: 'The passkey', body: () => PasskeyView }],
    errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'CONFLICT'],
  })
  async register(
    @CurrentPrincipal() principal: Principal,
    @Body() { challengeId, credential, name }: PasskeyInput,
    @Headers('user-agent') userAgent: string | undefined,
  ): Promise<PasskeyView> {
    const registration = { challengeId, credential, name, userAgent: userAgent ?? null };
    return passkeyView(await this.passkeys.register(principal, registration));
  }

  @Patch(':id')
  @Describe({
    summary: 'Renames a passkey',
    description: 'The name is for its user alone.',
    answers: [{ status: 200, description: 'The passkey', body: () => PasskeyView }],
  })
  async rename(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { name }: PasskeyNameInput,
  ): Promise<PasskeyView> {
    return passkeyView(await this.passkeys.rename(principal, id, name));
  }

  @Delete(':id')
  @HttpCode(204)
  @Describe({
    summary: 'Removes a passkey',
    description:
      'It does not sign in any more; sessions that it opened go on. The user is told by e-mail. Needs a proof of the password or second factor in the last ten minutes.',
    answers: [{ status: 204, description: 'The passkey is removed' }],
    errors: ['STEP_UP_REQUIRED'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.passkeys.remove(principal, id);
  }
}

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
