import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, HttpCode, Put } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { MfaInput } from './mfa.dto.js';
import { MfaService } from './mfa.service.js';

@ApiGroup(SIGN_IN_GROUP)
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
