import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { VerificationInput } from './verification.dto.js';
import { VerificationService } from './verification.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/verify-email')
export class VerificationController {
  constructor(private readonly verifications: VerificationService) {}

  @Post()
  @HttpCode(204)
  @NotRepeatable()
  @Access({ right: 'own' })
  @Describe({
    summary: 'Verifies the address that the workspace was registered with',
    description:
      'The token comes from the link in the mail, works once and for 24 hours, and only for the user who registered. Whoever verifies an address first has it: other registrations with it end. `CONFLICT` when nothing waits to be verified.',
    answers: [{ status: 204, description: 'The address is verified' }],
    errors: ['INVALID_VERIFICATION', 'EMAIL_TAKEN', 'CONFLICT'],
  })
  async verify(@CurrentPrincipal() principal: Principal, @Body() { token }: VerificationInput): Promise<void> {
    await this.verifications.verify(principal, token);
  }

  @Post('resend')
  @HttpCode(204)
  @NotRepeatable()
  @Access({ right: 'own' })
  @Describe({
    summary: 'Sends the mail that verifies the address again',
    description:
      'The link in the previous mail stops working. At most five times per hour. `CONFLICT` when nothing waits to be verified.',
    answers: [{ status: 204, description: 'The mail is queued' }],
    errors: ['EMAIL_TAKEN', 'CONFLICT'],
  })
  async resend(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.verifications.resend(principal);
  }
}
