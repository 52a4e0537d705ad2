import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { StepUpInput } from '@crm/identity-views';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { StepUpService } from './step-up.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/step-up')
export class StepUpController {
  constructor(
    private readonly stepUps: StepUpService,
    private readonly users: UserRepository,
  ) {}

  @Post()
  @NotRepeatable()
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Proves again who uses the session',
    description:
      'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes. Whoever has an authenticator gives a code of it or a recovery code, everybody else the password. A sign-in counts as a proof too.',
    answers: [{ status: 204, description: 'The proof is noted' }],
    refusals: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async prove(@CurrentPrincipal() principal: Principal, @Body() proof: StepUpInput): Promise<void> {
    const readPassword = async (...[tx, userId]: Parameters<UserRepository['find']>) =>
      (await this.users.find(tx, userId))?.passwordHash;
    await this.stepUps.prove(principal, proof, readPassword);
  }
}
