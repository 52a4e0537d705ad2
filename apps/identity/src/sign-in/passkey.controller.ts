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
      summary: `List your passkeys`,
      description: 'Up to 10.',
      answers: [{ status: 200, description: 'The passkeys, oldest first', body: () => PasskeyListView }],
    })
    async list(@CurrentPrincipal() principal: Principal): Promise<PasskeyListView> {
      return { data: (await this.passkeys.list(principal)).map(passkeyView) };
    }

    @Post('passkeys/options')
    @Access({ right: 'read', proof: true })
    @NotRepeatable()
    @Describe({
      summary: 'Start to set up a passkey',
      description: `The options ask for a discoverable passkey and for user verification. They are valid once, for 5 minutes, in this session.`,
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
      summary: 'Add a passkey',
      description: `It signs in without password and ${secondFactor}. The ${holder} is notified by email.`,
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
      summary: 'Rename a passkey',
      description: `Only ${owner} sees the name.`,
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
      summary: 'Remove a passkey',
      description: `It no longer signs in. Sessions it opened stay. The ${holder} is notified by email.`,
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
      summary: 'Start re-authentication with a passkey',
      description: `The options list the passkeys of the current ${holder}. They are valid once, for 5 minutes, in this session.`,
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
      summary: 'Re-authenticate with a passkey',
      description: 'Calls rejected with `STEP_UP_REQUIRED` are accepted for the next 10 minutes.',
      answers: [{ status: 204, description: 'The session is re-authenticated' }],
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
    summary: 'Start a sign-in with a passkey',
    description:
      'The options are the same for everyone: the device offers its own passkeys. They are valid once, for 5 minutes.',
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
    summary: 'Sign in with a passkey',
    description:
      'The device has verified its user, so no second step is required, even if the workspace requires two-step verification.',
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
