import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import type { TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { giveDeviceToken, type HeaderReply } from '../guesses/device-tokens.js';
import { TokenPairView } from '../sessions/session.dto.js';
import { PasskeyAnswerInput, PasskeyOptionsView } from './passkey.dto.js';
import { PasskeyService } from './passkey.service.js';
import { type Passkeys } from './passkeys.js';

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
