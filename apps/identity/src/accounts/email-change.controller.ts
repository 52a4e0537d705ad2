import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { ReauthenticationView } from '../sign-in/sign-in.dto.js';
import { EmailChangeInput, EmailChangeTokenInput } from './accounts.dto.js';
import { EmailChangeService, EmailChangeUndoService } from './email-change.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/email-change')
export class EmailChangeController {
  constructor(
    private readonly changes: EmailChangeService,
    private readonly undoing: EmailChangeUndoService,
  ) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Asks for another e-mail address of the current user',
    description:
      'Takes the password, of a user who has none a recent proof, and, with the second factor on, a second call with the code that the first one has sent. A link is sent to the new address, which signs in once it is confirmed. The answer is the same when the address has an account already.',
    answers: [
      {
        status: 202,
        description: 'The mail is on its way, or `mfaRequired` and the challenge to answer with the code',
        body: () => ReauthenticationView,
      },
    ],
    errors: ['INVALID_CREDENTIALS', 'STEP_UP_REQUIRED', 'EMAIL_NOT_VERIFIED'],
  })
  async request(
    @CurrentPrincipal() principal: Principal,
    @Body() input: EmailChangeInput,
  ): Promise<ReauthenticationView> {
    return (await this.changes.request(principal, input)) ?? {};
  }

  @Post('confirm')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Confirms a new e-mail address with the link from the mail',
    description:
      'The token from the link works once and for 24 hours. The old address no longer signs in; it is told, and can undo the change for seven days.',
    answers: [{ status: 204, description: 'The new address signs in' }],
    errors: ['INVALID_EMAIL_CHANGE', 'EMAIL_TAKEN'],
  })
  async confirm(@Body() input: EmailChangeTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.changes.confirm(input.token, origin);
  }

  @Post('undo')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Undoes a change of an e-mail address with the link from the mail to the old address',
    description:
      'The token from the link works once and for seven days after the change. The old address signs in again, every session ends and the present password becomes invalid; a link to set a new one is sent to the old address. Later changes are undone too.',
    answers: [{ status: 204, description: 'The old address is back' }],
    errors: ['INVALID_EMAIL_CHANGE'],
  })
  async undo(@Body() input: EmailChangeTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.undoing.undo(input.token, origin);
  }
}
