import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, BooleanField, Describe, TextField } from '@crm/http';
import { Body, Controller, HttpCode, Put } from '@nestjs/common';
import { MfaService } from './mfa.service.js';

export class MfaInput {
  @BooleanField()
  enabled: boolean;

  @TextField({
    maxLength: 256,
    description: 'The password of the current user',
    example: 'correct-horse-battery-staple',
  })
  password: string;
}

@ApiGroup({
  name: 'Sign-in',
  description:
    'Registering a workspace, signing in, refreshing tokens and managing sessions. An access token lives 15 minutes.',
})
@Controller('api/auth/mfa')
export class MfaController {
  constructor(private readonly mfa: MfaService) {}

  @Put()
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Turns the second factor of the current user on or off',
    description: 'With the second factor on, every sign-in is completed by a six-digit code that is sent by e-mail.',
    answers: [{ status: 204, description: 'The setting is stored' }],
    refusals: ['INVALID_CREDENTIALS'],
  })
  async set(@CurrentPrincipal() principal: Principal, @Body() input: MfaInput): Promise<void> {
    await this.mfa.setEnabled(principal, input.enabled, input.password);
  }
}
