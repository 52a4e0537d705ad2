import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { ReauthenticationView } from '../second-factor/second-factor.dto.js';
import { EmailChangeInput, EmailChangeTokenInput } from './email-change.dto.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailChangeUndoService } from './email-change-undo.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/email-change')
export class EmailChangeController {
  constructor(
    private readonly changes: EmailChangeService,
    private readonly undoing: EmailChangeUndoService,
  ) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'read', person: 'proof' })
  @Describe({
    summary: 'Request a change of your email address',
    description:
      "Send the password (a user without one re-authenticates first); with two-step verification on, call again with the emailed code. A link is sent to the new address. Once confirmed, it signs in to all of the person's workspaces. `EMAIL_NOT_VERIFIED` if the current address isn't verified. The response is the same if the address already has an account.",
    answers: [
      {
        status: 202,
        description: 'The email is on its way, or `mfaRequired` with the challenge for the code',
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
    summary: 'Confirm a new email address',
    description:
      'The token from the link works once within 24 hours. The old address no longer signs in; it is notified and can undo the change for 7 days.',
    answers: [{ status: 204, description: 'The address is changed' }],
    errors: ['INVALID_EMAIL_CHANGE', 'EMAIL_TAKEN'],
  })
  async confirm(@Body() input: EmailChangeTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.changes.confirm(input.token, origin);
  }

  @Post('undo')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Undo a change of email address',
    description:
      'The token from the link works once within 7 days of the change. The old address signs in again, every session ends, and the current password stops working; a link to set a new one is sent to the old address. Later changes are undone, too.',
    answers: [{ status: 204, description: 'The old address is restored' }],
    errors: ['INVALID_EMAIL_CHANGE', 'CONFLICT'],
  })
  async undo(@Body() input: EmailChangeTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.undoing.undo(input.token, origin);
  }
}
