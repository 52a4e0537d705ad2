import { Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../../audit/trail/request-origin.decorator.js';
import { PasswordPolicy } from '../password-policy/password-policy.service.js';
import { normaliseEmail } from '../user/email-address.js';
import { VerificationService } from '../verification/verification.service.js';
import { RegistrationInput, RegistrationView } from './registration.dto.js';
import { type OpenedWorkspace, RegistrationService } from './registration.service.js';
import { RegistrationLimit } from './registration-limit.js';

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
