import { Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { AcceptanceInput, InvitationTokenInput } from './accounts.dto.js';
import { InvitationService } from './invitation.service.js';
import { InvitationView } from './offer.dto.js';

/** Whoever has the link reads the mail of the address. */
@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/invitations')
export class InvitationController {
  constructor(private readonly invitations: InvitationService) {}

  @Post('look')
  @HttpCode(200)
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Says what an invitation is for',
    description: 'The token comes from the link in the invitation mail, which goes on working.',
    answers: [{ status: 200, description: 'The workspace and the address', body: () => InvitationView }],
    errors: ['INVALID_INVITATION'],
  })
  look(@Body() { token }: InvitationTokenInput): Promise<InvitationView> {
    return this.invitations.look(token);
  }

  @Post('accept')
  @Public()
  @Describe({
    summary: 'Accepts an invitation',
    description:
      'The token comes from the link in the invitation mail and works once. Somebody whose address has an account joins the workspace with it and keeps its password; anybody else sets one (`PASSWORD_REQUIRED`).',
    answers: [{ status: 204, description: 'The user can sign in' }],
    errors: ['INVALID_INVITATION', 'PASSWORD_REQUIRED', 'WEAK_PASSWORD', 'CONFLICT'],
  })
  async accept(@Body() input: AcceptanceInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.invitations.accept(input.token, input.password, origin);
  }

  @Post('decline')
  @HttpCode(204)
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Declines an invitation',
    description: 'The invited user is erased from the workspace.',
    answers: [{ status: 204, description: 'The link does not work any more' }],
    errors: ['INVALID_INVITATION'],
  })
  async decline(@Body() { token }: InvitationTokenInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.invitations.decline(token, origin);
  }
}
