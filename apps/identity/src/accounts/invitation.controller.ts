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
    summary: 'Says what an invitation offers',
    description: 'The token comes from the link in the mail and stays valid.',
    answers: [{ status: 200, description: 'The workspace, and what accepting takes', body: () => InvitationView }],
    errors: ['INVALID_INVITATION'],
  })
  async look(@Body() { token }: InvitationInput): Promise<InvitationView> {
    return this.invitations.look(token);
  }

  @Post('accept')
  @Describe({
    summary: 'Accepts an invitation, or a workspace that was registered with an address',
    description:
      'The token comes from the link in the mail and works once. Whoever has verified the address is then in the workspace too, with the password that they have; otherwise `password` is required, and the address is theirs from now on. Whatever somebody has set up who used the account before ends.',
    answers: [{ status: 204, description: 'The user can sign in' }],
    errors: ['INVALID_INVITATION', 'PASSWORD_REQUIRED', 'WEAK_PASSWORD', 'CONFLICT'],
  })
  async accept(@Body() { token, password }: AcceptanceInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.invitations.accept(token, password, origin);
  }

  @Post('decline')
  @Describe({
    summary: 'Declines an invitation, or a workspace that was registered with an address',
    description:
      'The token comes from the link in the mail and works once. An invited user is gone then; another account keeps working in its workspace, without being offered or mailed again.',
    answers: [{ status: 204, description: 'It is declined' }],
    errors: ['INVALID_INVITATION'],
  })
  async decline(@Body() { token }: InvitationInput): Promise<void> {
    await this.invitations.decline(token);
  }
}
