import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { BooleanField, Describe, TextField } from '@crm/http';
import { Body, Controller, HttpCode, Put } from '@nestjs/common';
import { MfaService } from './mfa.service.js';

export class MfaInput {
  @BooleanField()
  enabled: boolean;

  @TextField({ maxLength: 256, description: "The caller's password, asked again" })
  password: string;
}

@Controller('api/auth/mfa')
export class MfaController {
  constructor(private readonly mfa: MfaService) {}

  @Put()
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Turns the second factor of the caller on or off',
    answers: [{ status: 204, description: 'Done' }],
    refusals: ['INVALID_CREDENTIALS'],
  })
  async set(@CurrentPrincipal() principal: Principal, @Body() input: MfaInput): Promise<void> {
    await this.mfa.setEnabled(principal, input.enabled, input.password);
  }
}
