import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { VerificationInput } from './registration.dto.js';
import { VerificationService } from './verification.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/verify-email')
@Access({ right: 'own', proof: false })
export class VerificationController {
  constructor(private readonly verifications: VerificationService) {}

  @Post()
  @NotRepeatable()
  @Describe({
    summary: 'Verify the email address of the workspace',
    description:
      'The token comes from the link in any email to the address from the last 24 hours; the session says who verifies. The first to verify an address owns it, and the links of other registrations stop working. If a person already owns it, the workspace is added to their account, and they use their existing password. `CONFLICT` if nothing is waiting to be verified.',
    answers: [{ status: 204, description: 'The address is verified' }],
    errors: ['INVALID_VERIFICATION', 'CONFLICT'],
  })
  async verify(@CurrentPrincipal() principal: Principal, @Body() { token }: VerificationInput): Promise<void> {
    await this.verifications.verify(principal, token);
  }

  @Post('resend')
  @NotRepeatable()
  @Describe({
    summary: 'Resend the verification email',
    description:
      'The link in the previous email stops working. Up to 5 times per hour. `CONFLICT` if nothing is waiting to be verified.',
    answers: [{ status: 204, description: 'The email is queued' }],
    errors: ['CONFLICT'],
  })
  async resend(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.verifications.resend(principal);
  }
}
