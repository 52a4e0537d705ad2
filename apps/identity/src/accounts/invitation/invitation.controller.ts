import { Public } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../../audit/trail/request-origin.decorator.js';
import { AcceptanceInput } from './invitation.dto.js';
import { InvitationService } from './invitation.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/invitations')
export class InvitationController {
  constructor(private readonly invitations: InvitationService) {}

  @Post('accept')
  @HttpCode(204)
  @Public()
  @Describe({
    summary: 'Accepts an invitation and sets the password',
    description: 'The token comes from the link in the invitation mail and works once.',
    answers: [{ status: 204, description: 'The user can sign in' }],
    errors: ['INVALID_INVITATION', 'WEAK_PASSWORD'],
  })
  async accept(@Body() input: AcceptanceInput, @CurrentOrigin() origin: RequestOrigin): Promise<void> {
    await this.invitations.accept(input.token, input.password, origin);
  }
}
