import { Public } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { InvitationService } from './invitation.service.js';
import { AcceptanceInput, InvitationInput, InvitationView } from './offer.dto.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/invitations')
@Public()
export class InvitationController {
  constructor(private readonly invitations: InvitationService) {}

  @Post('look')
  @Describe({
    summary: 'Look up an invitation',
    description: 'The token comes from the emailed link and stays valid.',
    answers: [{ status: 200, description: 'The workspace, and what you need to accept', body: () => InvitationView }],
    errors: ['INVALID_INVITATION'],
  })
  async look(@Body() { token }: InvitationInput): Promise<InvitationView> {
    return this.invitations.look(token);
  }

  @Post('accept')
  @Describe({
    summary: 'Accept an invitation or a registered workspace',
    description:
      'The token comes from the emailed link and works once. A person who has verified the address joins the workspace with their existing password. Otherwise `password` is required, and the address becomes theirs. Everything an earlier user of the account has set up ends.',
    answers: [{ status: 204, description: 'The user can sign in' }],
    errors: ['INVALID_INVITATION', 'PASSWORD_REQUIRED', 'WEAK_PASSWORD', 'CONFLICT'],
  })
  async accept(@Body() { token, password }: AcceptanceInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.invitations.accept(token, password, origin);
  }

  @Post('decline')
  @Describe({
    summary: 'Decline an invitation or a registered workspace',
    description:
      "The token comes from the emailed link and works once. An invited user is deleted. Any other account keeps working in its workspace and isn't offered or emailed again.",
    answers: [{ status: 204, description: 'Invitation declined' }],
    errors: ['INVALID_INVITATION'],
  })
  async decline(@Body() { token }: InvitationInput): Promise<void> {
    await this.invitations.decline(token);
  }
}
