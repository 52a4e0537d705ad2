import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { giveDeviceToken, type HeaderReply } from '../sign-in/device-tokens.js';
import { ReauthenticationView } from '../sign-in/sign-in.dto.js';
import { isMfaRequired } from '../sign-in/step-up.service.js';
import {
  PasswordChangeInput,
  PasswordResetCompletionInput,
  PasswordResetInput,
  PasswordResetView,
} from './accounts.dto.js';
import { PasswordChangeService, PasswordResetService } from './password-change.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/password')
export class PasswordChangeController {
  constructor(private readonly changes: PasswordChangeService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Changes the password of the current user',
    description:
      'Takes the present password and, with the second factor on, a second call with the code that the first one has sent. The session of the call stays; all others end, and so do the `X-Device-Token`s of the user; the answer has a new one for this device. The user is told by e-mail.',
    answers: [
      {
        status: 200,
        description: 'The password is changed, or `mfaRequired` and the challenge to answer with the code',
        body: () => ReauthenticationView,
      },
    ],
    errors: ['INVALID_CREDENTIALS', 'WEAK_PASSWORD', 'CONFLICT'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @Body() input: PasswordChangeInput,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<ReauthenticationView> {
    const outcome = await this.changes.change(principal, input);
    if (isMfaRequired(outcome)) return outcome;
    giveDeviceToken(reply, outcome.deviceToken);
    return {};
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/password-resets')
export class PasswordResetController {
  constructor(private readonly resets: PasswordResetService) {}

  @Post()
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Asks for a link to set a new password',
    description:
      'The answer is the same whether the address has an account or not. The link is sent by e-mail and valid for 30 minutes; at most five are sent to an account in 15 minutes.',
    answers: [
      {
        status: 202,
        description: 'If the address has an account, the mail is on its way',
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
    summary: 'Sets a new password with the link from the mail',
    description:
      'The token from the link works once. Every session of the user ends. Nobody is signed in by this: the second factor stays on and is asked for at the next sign-in. The answer has an `X-Device-Token`, with which the sign-in works while others guess at the account.',
    answers: [{ status: 204, description: 'The new password is valid' }],
    errors: ['INVALID_PASSWORD_RESET', 'WEAK_PASSWORD'],
  })
  async complete(
    @Body() input: PasswordResetCompletionInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<void> {
    giveDeviceToken(reply, await this.resets.complete(input.token, input.password, origin));
  }
}
