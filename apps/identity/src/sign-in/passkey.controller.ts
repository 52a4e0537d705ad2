import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import type { TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Headers, Patch, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
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
import { PasskeyService, type Passkeys, passkeyView } from './passkey.service.js';

/** What the documentation of these routes calls things. */
interface PasskeyTexts {
  readonly holder: 'user' | 'operator';
  readonly owner: string;
  readonly secondFactor: string;
}

abstract class NoRoutes {}

/** Routes for the caller's passkeys. @param Base routes that the same controller has besides */
export function passkeyRoutes({ holder, owner, secondFactor }: PasskeyTexts, Base: typeof NoRoutes = NoRoutes) {
  abstract class PasskeyRoutes extends Base {
    abstract readonly passkeys: Passkeys;

    @Get('passkeys')
    @Describe({
      summary: `Lists the passkeys of the current ${holder}`,
      description: 'At most ten.',
      answers: [{ status: 200, description: 'The passkeys, oldest first', body: () => PasskeyListView }],
    })
    async list(@CurrentPrincipal() principal: Principal): Promise<PasskeyListView> {
      return { data: (await this.passkeys.list(principal)).map(passkeyView) };
    }

    @Post('passkeys/options')
    @Access({ right: 'read', proof: true })
    @NotRepeatable()
    @Describe({
      summary: 'Starts to set up a passkey',
      description: `The options ask for a passkey that is kept by the authenticator and for user verification. They are valid for five minutes, once, in this session.`,
      answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
      errors: ['CONFLICT'],
    })
    async options(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
      return this.passkeys.registrationOptions(principal);
    }

    @Post('passkeys')
    @Access({ right: 'read', proof: true })
    @NotRepeatable()
    @Describe({
      summary: 'Adds a passkey',
      description: `From now on it signs in without password and ${secondFactor}. The ${holder} is told by e-mail.`,
      answers: [{ status: 201, description: 'The passkey', body: () => PasskeyView }],
      errors: ['INVALID_CREDENTIALS', 'CONFLICT'],
    })
    async register(
      @CurrentPrincipal() principal: Principal,
      @Body() input: PasskeyInput,
      @Headers('user-agent') userAgent: string | undefined,
    ): Promise<PasskeyView> {
      return passkeyView(await this.passkeys.register(principal, input, userAgent ?? null));
    }

    @Patch('passkeys/:id')
    @Describe({
      summary: 'Renames a passkey',
      description: `The name is for ${owner} alone.`,
      answers: [{ status: 200, description: 'The passkey', body: () => PasskeyView }],
    })
    async rename(
      @CurrentPrincipal() principal: Principal,
      @IdParam() id: string,
      @Body() { name }: PasskeyNameInput,
    ): Promise<PasskeyView> {
      return passkeyView(await this.passkeys.rename(principal, id, name));
    }

    @Delete('passkeys/:id')
    @Access({ right: 'read', proof: true })
    @Describe({
      summary: 'Removes a passkey',
      description: `It does not sign in any more; sessions that it opened go on. The ${holder} is told by e-mail.`,
      answers: [{ status: 204, description: 'The passkey is removed' }],
    })
    async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
      await this.passkeys.remove(principal, id);
    }
  }
  return PasskeyRoutes;
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
@Access({ right: 'read' })
export class PasskeyController extends passkeyRoutes({
  holder: 'user',
  owner: 'its user',
  secondFactor: 'second factor',
}) {
  constructor(override readonly passkeys: PasskeyService) {
    super();
  }
}

export function passkeyStepUpRoutes(holder: 'user' | 'operator') {
  abstract class PasskeyStepUpRoutes {
    abstract readonly passkeys: Passkeys;

    @Post('step-up/passkey/options')
    @NotRepeatable()
    @Access({ right: 'read', proof: false })
    @Describe({
      summary: 'Starts to prove again with a passkey who uses the session',
      description: `The options name the passkeys of the current ${holder}. They are valid for five minutes, once, in this session.`,
      answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
      errors: ['CONFLICT'],
    })
    async stepUpOptions(@CurrentPrincipal() principal: Principal): Promise<PasskeyOptionsView> {
      return this.passkeys.stepUpOptions(principal);
    }

    @Post('step-up/passkey')
    @NotRepeatable()
    @Access({ right: 'read', proof: false })
    @Describe({
      summary: 'Proves again with a passkey who uses the session',
      description: 'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes.',
      answers: [{ status: 204, description: 'The proof is noted' }],
      errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
    })
    async stepUp(@CurrentPrincipal() principal: Principal, @Body() input: PasskeyAnswerInput): Promise<void> {
      await this.passkeys.stepUp(principal, input);
    }
  }
  return PasskeyStepUpRoutes;
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
export class PasskeyProofController extends passkeyStepUpRoutes('user') {
  constructor(override readonly passkeys: PasskeyService) {
    super();
  }

  @Post('login/passkey/options')
  @NotRepeatable()
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
  @Public()
  @Describe({
    summary: 'Signs in with a passkey',
    description:
      'The authenticator has verified its user, so no second factor is asked for, also where the workspace requires one.',
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    errors: ['INVALID_CREDENTIALS', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED', 'CONFLICT'],
  })
  async signIn(
    @Body() input: PasskeyAnswerInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<TokenPair> {
    const { answer, deviceToken } = await this.passkeys.signIn(input, origin);
    giveDeviceToken(reply, deviceToken);
    return answer;
  }
}
