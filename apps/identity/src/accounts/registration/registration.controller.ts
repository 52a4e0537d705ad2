import { Public } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Ip, Post } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { PasswordPolicy } from '../password-policy/password-policy.service.js';
import { RegistrationInput, RegistrationView } from './registration.dto.js';
import { RegistrationService } from './registration.service.js';
import { RegistrationLimit } from './registration-limit.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/register')
export class RegistrationController {
  constructor(
    private readonly registrations: RegistrationService,
    private readonly limit: RegistrationLimit,
    private readonly policy: PasswordPolicy,
  ) {}

  @Post()
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Registers a workspace and its owner',
    description:
      'The caller becomes the owner and can sign in at once. Plans other than `developer` are set by operators; the development profile accepts them here.',
    answers: [{ status: 201, description: 'The owner and the workspace', body: () => RegistrationView }],
    refusals: ['PLAN_NOT_ALLOWED', 'WEAK_PASSWORD', 'EMAIL_TAKEN'],
  })
  async register(@Body() input: RegistrationInput, @Ip() address: string): Promise<RegistrationView> {
    await this.limit.consume(address);
    await this.policy.assertAcceptable(input.password, { ...input, workspace: input.workspace.name });
    const { user, tenant } = await this.registrations.register(input, address);
    const { id, email, name, roles } = user;
    return { user: { id, email, name, roles }, tenant };
  }
}
