import { Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { PasswordPolicy } from '../passwords/password-policy.js';
import { normaliseEmail } from '../people/email-address.js';
import { RegistrationInput, RegistrationView } from './registration.dto.js';
import { RegistrationService } from './registration.service.js';
import { RegistrationLimit } from './registration-limit.js';
import { VerificationService } from './verification.service.js';

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
    summary: 'Register a workspace and its owner',
    description:
      "The caller becomes the owner and can sign in immediately. The address has to be verified with an emailed link within 7 days. Until then `tenant.verified` is false, and the workspace can't add users, mint for new host users, or submit apps (`EMAIL_NOT_VERIFIED`). The response never tells whether the address has an account; its owner is emailed. In the development profile, registrations from loopback count as verified, and plans other than `developer` are accepted; elsewhere operators set them.",
    answers: [{ status: 201, description: 'The owner and the workspace', body: () => RegistrationView }],
    errors: ['PLAN_NOT_ALLOWED', 'WEAK_PASSWORD'],
  })
  async register(@Body() input: RegistrationInput, @CurrentOrigin() origin: RequestOrigin): Promise<RegistrationView> {
    const { address } = origin;
    await this.limit.consume(address, input.email);
    await this.policy.assertAcceptable(input.password, { ...input, workspace: input.workspace.name });
    const verified = this.limit.isTrusted(address);
    const claim = verified ? undefined : await this.verifications.claim(normaliseEmail(input.email));
    const { user, tenant } = await this.registrations.register(input, origin, claim);
    const { id, email, name, roles } = user;
    return { user: { id, email, name, roles }, tenant: { ...tenant, verified } };
  }
}
