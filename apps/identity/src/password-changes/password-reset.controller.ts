import { Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { giveDeviceToken, type HeaderReply } from '../guesses/device-tokens.js';
import {
  PasswordResetCompletionInput,
  PasswordResetCompletionView,
  PasswordResetInput,
  PasswordResetView,
} from './password-change.dto.js';
import { PasswordResetService } from './password-reset.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/password-resets')
export class PasswordResetController {
  constructor(private readonly resets: PasswordResetService) {}

  @Post()
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Request a password reset link',
    description:
      'The response is the same whether or not the address has an account. The emailed link is valid for 30 minutes; up to 5 are sent to an address in 15 minutes. An unverified address gets a link for each workspace that has added it.',
    answers: [
      {
        status: 202,
        description: 'If the address has an account, the email is on its way',
        body: () => PasswordResetView,
      },
    ],
  })
  async request(@Body() input: PasswordResetInput, @CurrentOrigin() origin: RequestOrigin): Promise<PasswordResetView> {
    await this.resets.request(input.email, origin);
    return { accepted: true };
  }

  @Post('complete')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Reset the password',
    description:
      "The token from the link works once. The password covers all of the person's workspaces, and every session there ends. An account with an unverified address becomes that of the person who opened the link: earlier passkeys, authenticator apps, and keys are removed. This call doesn't sign anyone in: two-step verification stays on and applies to the next sign-in. Passkeys keep working unless `removePasskeys` is true; the user is emailed about each removed one. The response has an `X-Device-Token`, which lets the sign-in work while others guess at the account.",
    answers: [
      { status: 204, description: 'The password is set' },
      {
        status: 200,
        description: 'The password is set; for a call with `removePasskeys`, with the number of passkeys',
        body: () => PasswordResetCompletionView,
      },
    ],
    errors: ['INVALID_PASSWORD_RESET', 'WEAK_PASSWORD', 'CONFLICT'],
  })
  async complete(
    @Body() input: PasswordResetCompletionInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<PasswordResetCompletionView | undefined> {
    const { deviceToken, ...passkeys } = await this.resets.complete(input, origin);
    giveDeviceToken(reply, deviceToken);
    if (input.removePasskeys === undefined) return undefined;
    reply.status(200);
    return passkeys;
  }
}
