import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { giveDeviceToken, type HeaderReply } from '@crm/identity-views';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { ReauthenticationView } from '../reauthentication/reauthentication.dto.js';
import { isMfaRequired } from '../reauthentication/reauthentication.service.js';
import { PasswordChangeInput } from './password-change.dto.js';
import { PasswordChangeService } from './password-change.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/password')
export class PasswordChangeController {
  constructor(private readonly changes: PasswordChangeService) {}

  @Post()
  @HttpCode(200)
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
