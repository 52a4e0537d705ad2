import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Controller, Headers, Param, Post, Res } from '@nestjs/common';
import { SINGLE_SIGN_ON_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import type { HeaderReply } from '../guesses/device-tokens.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { cookieFor, setCookie } from './provider-sign-in-cookie.js';
import { ProviderSignInLimit } from './provider-sign-in-limit.js';
import { StartedView } from './single-sign-on.dto.js';

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
  @Access({ right: 'read' })
  @Describe({
    summary: 'Start re-authentication with an identity provider',
    description:
      "As for a sign-in, the page sends the browser to `redirectTo`, in another window if it wants to keep its tokens. The provider is asked to authenticate the person now. They must have used this provider to sign in as the session's user before. If they use two-step verification, the provider has to confirm a second factor. The callback redirects to `/account/signed-in` with `proof=noted` or an error in the fragment.",
    answers: [{ status: 200, description: 'Where to send the browser', body: () => StartedView }],
    errors: ['NOT_FOUND', 'SINGLE_SIGN_ON_FAILED', 'RATE_LIMITED'],
  })
  async start(
    @CurrentPrincipal() session: Principal,
    @Param('providerId') providerId: string,
    @CurrentOrigin() origin: RequestOrigin,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<StartedView> {
    await this.limit.consume('start', origin.address);
    const browser = cookieFor(cookies);
    const redirectTo = await this.signIns.start(providerId, browser, origin, { session });
    reply.header('set-cookie', setCookie(browser));
    return { redirectTo };
  }
}
