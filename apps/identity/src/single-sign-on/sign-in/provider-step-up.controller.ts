import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import type { HeaderReply } from '@crm/identity-views';
import { Controller, Headers, HttpCode, Ip, Param, Post, Res } from '@nestjs/common';
import { SINGLE_SIGN_ON_GROUP } from '../../api-groups.js';
import { cookieFor, setCookie } from './browser-cookie.js';
import { StartedView } from './provider-sign-in.dto.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { ProviderSignInLimit } from './provider-sign-in-limit.js';

/** The proof of a session at a provider; the callback of the sign-in completes it. */
@ApiGroup(SINGLE_SIGN_ON_GROUP)
@Controller('api/auth/step-up/oidc')
export class ProviderStepUpController {
  constructor(
    private readonly signIns: ProviderSignInService,
    private readonly limit: ProviderSignInLimit,
  ) {}

  @Post(':providerId')
  @NotRepeatable()
  @HttpCode(200)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Starts to prove again at an identity provider who uses the session',
    description:
      'As for a sign-in, the page sends the browser to `redirectTo`, in another window if it wants to keep its tokens. The provider is asked to authenticate the person now. They must be the user of the session by an earlier sign-in at this provider; whoever has a second factor needs one of the provider. The callback notes the proof and leads to `/account/signed-in` with `proof=noted`, or with an error, in the fragment.',
    answers: [{ status: 200, description: 'Where to send the browser', body: () => StartedView }],
    errors: ['NOT_FOUND', 'SINGLE_SIGN_ON_FAILED', 'RATE_LIMITED'],
  })
  async start(
    @CurrentPrincipal() session: Principal,
    @Param('providerId') providerId: string,
    @Ip() address: string,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<StartedView> {
    await this.limit.consume('start', address);
    const browser = cookieFor(cookies);
    const redirectTo = await this.signIns.start(providerId, browser, { session });
    reply.header('set-cookie', setCookie(browser));
    return { redirectTo };
  }
}
