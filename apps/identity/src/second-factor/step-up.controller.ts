import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Post, Res } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { type HeaderReply } from '../guesses/device-tokens.js';
import { ReauthenticationView, UserStepUpInput } from './second-factor.dto.js';
import { StepUpService } from './step-up.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth/step-up')
export class StepUpController {
  constructor(private readonly stepUps: StepUpService) {}

  @Post()
  @NotRepeatable()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Re-authenticate the current session',
    description:
      'Calls rejected with `STEP_UP_REQUIRED` are accepted for the next 10 minutes. With an authenticator app, send `code` (an app code or a recovery code). With email codes, send `password` first; we email a code, then send `password`, `challengeId`, and `code`. Otherwise, send `password`. Passkeys and identity providers have their own calls; `proofs` in the error lists what the account can use. A sign-in counts, too.',
    answers: [
      { status: 204, description: 'The session is re-authenticated' },
      {
        status: 200,
        description: "A code was sent by email; the session isn't re-authenticated yet",
        body: () => ReauthenticationView,
      },
    ],
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
  })
  async prove(
    @CurrentPrincipal() principal: Principal,
    @Body() proof: UserStepUpInput,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<ReauthenticationView | undefined> {
    const needed = await this.stepUps.proveUser(principal, proof);
    if (needed) reply.status(200);
    return needed;
  }
}
