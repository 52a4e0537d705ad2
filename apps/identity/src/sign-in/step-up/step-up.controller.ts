import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { UserStepUpInput } from '@crm/identity-views';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ReauthenticationView } from '../../accounts/reauthentication/reauthentication.dto.js';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { UserStepUpService } from './user-step-up.service.js';

/** What of the HTTP answer is set here. */
interface Reply {
  status(code: number): unknown;
}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/step-up')
export class StepUpController {
  constructor(private readonly stepUps: UserStepUpService) {}

  @Post()
  @NotRepeatable()
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Proves again who uses the session',
    description:
      'Calls that are refused with `STEP_UP_REQUIRED` are accepted for the next ten minutes. Whoever has an authenticator gives a code of it or a recovery code. Whose second factor is a code by e-mail gives the password, which sends one, and then the password, `challengeId` and `code`. Everybody else gives the password. Passkeys and identity providers have calls of their own; `proofs` of a refusal names what the account can prove itself with. A sign-in counts as a proof too.',
    answers: [
      { status: 204, description: 'The proof is noted' },
      { status: 200, description: 'A code was sent by e-mail; nothing is noted yet', body: () => ReauthenticationView },
    ],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async prove(
    @CurrentPrincipal() principal: Principal,
    @Body() proof: UserStepUpInput,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<ReauthenticationView | undefined> {
    const needed = await this.stepUps.prove(principal, proof);
    if (needed) reply.status(200);
    return needed;
  }
}
