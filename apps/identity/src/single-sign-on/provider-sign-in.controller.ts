import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { addressKey, Limiter, LimiterStore } from '@crm/limits';
import { Body, Controller, Get, Headers, Inject, Injectable, Ip, Param, Post, Query, Req, Res } from '@nestjs/common';
import { SINGLE_SIGN_ON_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { newSecret } from '../secrets.js';
import { presentedCookie } from '../sign-in/browser-cookie.js';
import type { HeaderReply } from '../sign-in/device-tokens.js';
import type { SignInAnswer } from '../sign-in/mfa.service.js';
import { SignInView } from '../sign-in/sign-in.dto.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { DiscoverInput, ExchangeInput, SignInProviderListView, StartedView, StartInput } from './single-sign-on.dto.js';
import { SIGN_IN_SECONDS } from './single-sign-on.repository.js';

/**
 * The cookie that ties a sign-in to the browser that began it, so that nobody is signed in to the account of someone who sent
 * them a link (login CSRF). `__Host-`: a browser accepts it from this very host only (RFC 6265bis, section 4.1.3.2); Lax:
 * it comes along when the provider sends the browser back.
 */
const NAME = '__Host-crm-sign-in';

/** The value to tie a new sign-in to: the present one, so that sign-ins in two tabs do not end each other. */
export const cookieFor = (header: string | undefined): string => presentedCookie(NAME, header) ?? newSecret();

/** `Set-Cookie` */
export const setCookie = (value: string): string =>
  `${NAME}=${value}; Path=/; Max-Age=${SIGN_IN_SECONDS}; Secure; HttpOnly; SameSite=Lax`;

const QUARTER_HOUR = 15 * 60;
/** Requests of each step from one address; an office behind one address shares them. */
export const STEPS_PER_ADDRESS = 300;

export type Step = 'discover' | 'start' | 'return' | 'exchange';

/** Limits on signing in by a provider: every step has its own, and takes it before anything else is done. */
@Injectable()
export class ProviderSignInLimit {
  private readonly limits: Record<Step, Limiter>;

  constructor(store: LimiterStore) {
    const limiter = (step: Step) => {
      const rule = { name: `single-sign-on-${step}`, points: STEPS_PER_ADDRESS, windowSeconds: QUARTER_HOUR };
      return new Limiter(store, rule, 'Too many sign-in attempts. Try again later');
    };
    this.limits = {
      discover: limiter('discover'),
      start: limiter('start'),
      return: limiter('return'),
      exchange: limiter('exchange'),
    };
  }

  /** @throws PlatformError RATE_LIMITED */
  async consume(step: Step, address: string): Promise<void> {
    await this.limits[step].consume(addressKey(address));
  }
}

@ApiGroup(SINGLE_SIGN_ON_GROUP)
@Controller('api/auth/oidc')
export class ProviderSignInController {
  constructor(
    private readonly signIns: ProviderSignInService,
    private readonly limit: ProviderSignInLimit,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  @Post('discover')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Find identity providers by email address',
    description:
      "The providers of the workspace that has verified the address's domain; none for other domains. The response doesn't reveal accounts.",
    answers: [{ status: 200, description: 'The providers', body: () => SignInProviderListView }],
    errors: ['RATE_LIMITED'],
  })
  async find(@Body() { email }: DiscoverInput, @Ip() address: string): Promise<SignInProviderListView> {
    return this.providersOf(email, address);
  }

  @Get('discover')
  @Public()
  @Describe({
    summary: 'Find identity providers by email address in the query',
    description:
      'Use `POST` with the address in the body instead: queries end up in browser histories and server logs. The response is the same.',
    deprecated: true,
    answers: [{ status: 200, description: 'The providers', body: () => SignInProviderListView }],
    errors: ['RATE_LIMITED'],
  })
  async discover(@Query() { email }: DiscoverInput, @Ip() address: string): Promise<SignInProviderListView> {
    return this.providersOf(email, address);
  }

  @Post(':providerId/start')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Start a sign-in with an identity provider',
    description:
      "The page sends the browser to `redirectTo`. The response sets a cookie that ties the sign-in to the browser. The person has 10 minutes. The provider's `auth_time` counts as the session's last authentication; without it, the session isn't recently authenticated. With `fresh`, the provider is asked to authenticate the person now, and a response that doesn't confirm it is rejected.",
    answers: [{ status: 200, description: 'Where to send the browser', body: () => StartedView }],
    errors: ['NOT_FOUND', 'SINGLE_SIGN_ON_FAILED', 'RATE_LIMITED'],
  })
  async start(
    @Param('providerId') providerId: string,
    @Body() { fresh }: StartInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<StartedView> {
    await this.limit.consume('start', origin.address);
    const browser = cookieFor(cookies);
    const redirectTo = await this.signIns.start(providerId, browser, origin, { fresh });
    reply.header('set-cookie', setCookie(browser));
    return { redirectTo };
  }

  @Get(':providerId/callback')
  @Public()
  @Describe({
    summary: 'Identity provider callback',
    description:
      'The provider sends the browser here. It is redirected to `/account/signed-in` with `code` in the fragment, which the page exchanges; with `proof=noted` after a re-authentication; or with `error` (an error code) and, for `SINGLE_SIGN_ON_REFUSED`, a `reason`.',
    answers: [{ status: 303, description: 'The next page, in `Location`' }],
  })
  async complete(
    @Param('providerId') providerId: string,
    @CurrentOrigin() origin: RequestOrigin,
    @Headers('cookie') cookies: string | undefined,
    @Req() request: { raw: { url?: string } },
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<void> {
    const fragment = await this.outcome(providerId, request.raw.url ?? '', origin, presentedCookie(NAME, cookies));
    // A fragment reaches the page but not the log of a server.
    reply.header('location', `${this.config.service.baseUrl}/account/signed-in#${fragment}`);
    reply.header('cache-control', 'no-store');
    reply.header('referrer-policy', 'no-referrer');
  }

  @Post('exchange')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Complete a sign-in with an identity provider',
    description:
      'The code works once, for a minute, in the browser that started the sign-in. The response is the same as for a sign-in with a password: the tokens, or what the sign-in still needs.',
    answers: [{ status: 200, description: 'The tokens, or what the sign-in still needs', body: () => SignInView }],
    errors: ['SINGLE_SIGN_ON_EXPIRED', 'INVALID_CREDENTIALS', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED'],
  })
  async exchange(
    @Body() { code }: ExchangeInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Headers('cookie') cookies: string | undefined,
  ): Promise<SignInAnswer> {
    await this.limit.consume('exchange', origin.address);
    return this.signIns.exchange(code, presentedCookie(NAME, cookies), origin);
  }

  /** Limited as one, whichever way it is asked. */
  private async providersOf(email: string, address: string): Promise<SignInProviderListView> {
    await this.limit.consume('discover', address);
    return { providers: await this.signIns.discover(email) };
  }

  /** @returns the fragment for the page */
  private async outcome(
    providerId: string,
    url: string,
    origin: RequestOrigin,
    browser: string | undefined,
  ): Promise<URLSearchParams> {
    const start = url.indexOf('?');
    try {
      await this.limit.consume('return', origin.address);
      const code = await this.signIns.complete(providerId, start < 0 ? '' : url.slice(start + 1), browser, origin);
      return new URLSearchParams(code === undefined ? { proof: 'noted' } : { code });
    } catch (error) {
      // A person is waiting in front of a browser: what can be expected becomes a page, not a problem document.
      if (!(error instanceof PlatformError)) throw error;
      const { reason } = error.extra.members ?? {};
      return new URLSearchParams({ error: error.code, ...(typeof reason === 'string' && { reason }) });
    }
  }
}

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
