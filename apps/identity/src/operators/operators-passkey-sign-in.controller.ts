import { Public } from '@crm/access';
import { type TokenPair } from '@crm/contracts';
import { ApiGroup, BodyLimit, CREDENTIALS_BODY_LIMIT, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post, Res } from '@nestjs/common';
import { OPERATORS_SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { giveDeviceToken, type HeaderReply } from '../guesses/device-tokens.js';
import { PasskeyAnswerInput, PasskeyOptionsView } from '../passkeys/passkey.dto.js';
import { TokenPairView } from '../sessions/session.dto.js';
import { OperatorPasskeyService } from './operator-passkey.service.js';

@ApiGroup(OPERATORS_SIGN_IN_GROUP)
@Controller('operators/api/auth/login/passkey')
export class OperatorsPasskeySignInController {
  constructor(private readonly passkeys: OperatorPasskeyService) {}

  @Post('options')
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Public()
  @Describe({
    summary: 'Start a sign-in with a passkey',
    description:
      'The options are the same for everyone: the device offers its own passkeys. They are valid once, for 5 minutes.',
    answers: [{ status: 200, description: 'Options for the browser', body: () => PasskeyOptionsView }],
    errors: ['RATE_LIMITED', 'CONFLICT'],
  })
  async options(): Promise<PasskeyOptionsView> {
    return this.passkeys.signInOptions();
  }

  @Post()
  @NotRepeatable()
  @BodyLimit(CREDENTIALS_BODY_LIMIT)
  @Public()
  @Describe({
    summary: 'Sign in with a passkey',
    description: 'The device has verified its user, so no second step is required, not even in production.',
    answers: [{ status: 200, description: 'The tokens', body: () => TokenPairView }],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED', 'CONFLICT'],
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
