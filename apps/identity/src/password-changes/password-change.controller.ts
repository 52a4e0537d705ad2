import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { giveDeviceToken, type HeaderReply } from '../guesses/device-tokens.js';
import { isMfaRequired } from '../second-factor/reauthentication.service.js';
import { ReauthenticationView } from '../second-factor/second-factor.dto.js';
import { PasswordChangeInput } from './password-change.dto.js';
import { PasswordChangeService } from './password-change.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/password')
export class PasswordChangeController {
  constructor(private readonly changes: PasswordChangeService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'read', person: 'proof' })
  @Describe({
    summary: 'Change your password',
    description:
      "One password covers all of a person's workspaces. Send the current password; with two-step verification on, call again with the emailed code. The current session stays; all others end in every workspace, and so do the user's `X-Device-Token`s. The response has a new one for this device. The user is notified by email.",
    answers: [
      {
        status: 200,
        description: 'The password is changed, or `mfaRequired` with the challenge for the code',
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
