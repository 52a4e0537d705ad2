import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { normaliseEmail } from '../people/user.service.js';
import { PasswordPolicy } from '../sign-in/password-policy.service.js';
import { AcceptanceInput, RegistrationInput, RegistrationView, VerificationInput } from './accounts.dto.js';
import { InvitationService } from './invitation.service.js';
import { RegistrationLimit } from './limits.js';
import { type OpenedWorkspace, RegistrationService, VerificationService } from './registration.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/register')
export class RegistrationController {
  constructor(
    private readonly registrations: RegistrationService,
    private readonly limit: RegistrationLimit,
    private readonly policy: PasswordPolicy,
    private readonly verifications: VerificationService,
  ) {}

  @Post()
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Registers a workspace and its owner',
    description:
      'The caller becomes the owner and can sign in at once. The address has to be verified with the link in a mail, within seven days: until then `tenant.verified` is false, and the workspace can try things out but neither add users, mint for new host users nor submit apps (`EMAIL_NOT_VERIFIED`). Registrations never tell whether the address has an account; its owner learns by mail. In the development profile registrations from loopback count as verified, `EMAIL_TAKEN` is answered at once, and plans other than `developer`, which operators set elsewhere, are accepted.',
    answers: [{ status: 201, description: 'The owner and the workspace', body: () => RegistrationView }],
    errors: ['PLAN_NOT_ALLOWED', 'WEAK_PASSWORD', 'EMAIL_TAKEN'],
  })
  async register(@Body() input: RegistrationInput, @CurrentOrigin() origin: RequestOrigin): Promise<RegistrationView> {
    const { address } = origin;
    await this.limit.consume(address, input.email);
    await this.policy.assertAcceptable(input.password, { ...input, workspace: input.workspace.name });
    const verified = this.limit.isTrusted(address);
    const { user, tenant } = verified
      ? await this.registrations.register(input, origin)
      : await this.claim(input, origin);
    const { id, email, name, roles } = user;
    return { user: { id, email, name, roles }, tenant: { ...tenant, verified } };
  }

  private async claim(input: RegistrationInput, origin: RequestOrigin): Promise<OpenedWorkspace> {
    await this.verifications.admitMail(normaliseEmail(input.email));
    return this.registrations.register(input, origin, (tx, claimant) => this.verifications.begin(tx, claimant));
  }
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/verify-email')
export class VerificationController {
  constructor(private readonly verifications: VerificationService) {}

  @Post()
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

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/invitations')
export class InvitationController {
  constructor(private readonly invitations: InvitationService) {}

  @Post('accept')
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
