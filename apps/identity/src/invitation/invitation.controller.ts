import { Public } from '@crm/access';
import { Describe, TextField } from '@crm/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { PASSWORD_LENGTH } from '../password/passwords.js';
import { InvitationService } from './invitation.service.js';

export class AcceptanceInput {
  @TextField({ maxLength: 200, description: 'What the link in the mail carries' })
  token: string;

  @TextField({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max })
  password: string;
}

@Controller('api/auth/invitations')
export class InvitationController {
  constructor(private readonly invitations: InvitationService) {}

  @Post('accept')
  @HttpCode(204)
  @Public()
  @Describe({
    summary: 'Sets the password of an invited user',
    answers: [{ status: 204, description: 'The user can sign in' }],
    refusals: ['INVALID_INVITATION'],
  })
  async accept(@Body() input: AcceptanceInput): Promise<void> {
    await this.invitations.accept(input.token, input.password);
  }
}
