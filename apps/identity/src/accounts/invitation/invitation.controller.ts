import { Public } from '@crm/access';
import { ApiGroup, Describe, TextField } from '@crm/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { PASSWORD_LENGTH } from '../password/password.service.js';
import { InvitationService } from './invitation.service.js';

export class AcceptanceInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the invitation mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    example: 'correct-horse-battery-staple',
  })
  password: string;
}

@ApiGroup({
  name: 'Sign-in',
  description:
    'Registering a workspace, signing in, refreshing tokens and managing sessions. An access token lives 15 minutes.',
})
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
    refusals: ['INVALID_INVITATION'],
  })
  async accept(@Body() input: AcceptanceInput): Promise<void> {
    await this.invitations.accept(input.token, input.password);
  }
}
