import { Proven, Public, StrategyGuard } from '@crm/access';
import { PlatformError, type TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import {
  Body,
  type CanActivate,
  Controller,
  Delete,
  type ExecutionContext,
  Headers,
  Inject,
  Injectable,
  Post,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { AccessTokenView } from '../sessions/session.dto.js';
import { SessionService } from '../sessions/session.service.js';
import { presentedCookie } from './browser-cookie.js';
import { DEVICE_TOKEN_DESCRIPTION, giveDeviceToken, type HeaderReply } from './device-tokens.js';
import { ADMISSION, PasswordStrategy } from './sign-in.controller.js';
import { HandOverInput, PageSignInView, SignInInput } from './sign-in.dto.js';
import { type AuthenticatedUser, SignInService } from './sign-in.service.js';

const PATH = 'api/auth/session';

/** A header that no form and no link can send, and no script of another origin without a preflight, which fails. */
const PAGE_HEADER = { name: 'X-Requested-With', value: 'crm-page' };

/** A cookie comes along with calls that another site makes: these routes answer pages of the platform's own address only. */
@Injectable()
export class PageGuard implements CanActivate {
  private readonly origins: ReadonlySet<string | undefined>;

  constructor(@Inject(IDENTITY_CONFIG) { service }: IdentityConfig) {
    const { origin } = new URL(service.baseUrl);
    // Developers open the same pages at `localhost`, where there are passkeys.
    this.origins = new Set([origin, origin.replace('//127.0.0.1', '//localhost')]);
  }

  /** @throws PlatformError FORBIDDEN */
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.origins.has(headers.origin) && headers[PAGE_HEADER.name.toLowerCase()] === PAGE_HEADER.value) return true;
    throw new PlatformError('FORBIDDEN', "Only the platform's own pages can make this call");
  }
}

/** The refresh token of a page, where its scripts cannot read it. */
@Injectable()
export class PageCookie {
  private readonly name: string;
  private readonly attributes: string;
  private readonly lifeSeconds: number;

  constructor(@Inject(IDENTITY_CONFIG) { service, sessions }: IdentityConfig) {
    // `__Host-`, which neighbouring hosts cannot plant, is for https and the whole host (RFC 6265bis, section 4.1.3.2).
    const isSecure = service.baseUrl.startsWith('https:');
    this.name = isSecure ? '__Host-crm-session' : 'crm-session';
    this.attributes = `${isSecure ? 'Path=/; Secure' : `Path=/${PATH}`}; HttpOnly; SameSite=Strict`;
    this.lifeSeconds = sessions.idleSeconds;
  }

  /** @param header `Cookie` */
  presented(header: string | undefined): string | undefined {
    return presentedCookie(this.name, header);
  }

  /** @returns what stays for the page */
  keep(reply: HeaderReply, { refreshToken, ...rest }: TokenPair): AccessTokenView {
    this.set(reply, refreshToken, this.lifeSeconds);
    return rest;
  }

  drop(reply: HeaderReply): void {
    this.set(reply, '', 0);
  }

  private set(reply: HeaderReply, value: string, seconds: number): void {
    reply.header('set-cookie', `${this.name}=${value}; Max-Age=${seconds}; ${this.attributes}`);
  }
}

const OF_PAGES = `For pages at the platform's own address, which \`Origin\` has to say, with \`${PAGE_HEADER.name}: ${PAGE_HEADER.value}\`.`;

@ApiGroup(SIGN_IN_GROUP)
@Controller(PATH)
@UseGuards(PageGuard)
@Public()
export class PageSessionController {
  constructor(
    private readonly signIns: SignInService,
    private readonly sessions: SessionService,
    private readonly cookie: PageCookie,
  ) {}

  @Post()
  @UseGuards(StrategyGuard(PasswordStrategy))
  @NotRepeatable()
  @Describe({
    summary: 'Sign a page in with email and password',
    description: `${OF_PAGES} As \`POST /api/auth/login\`, but the refresh token goes into a cookie that scripts can't read. The cookie's previous session ends. A sign-in that needs another step is completed like any other; then \`POST /api/auth/session/refresh\` takes its refresh token.`,
    headers: [DEVICE_TOKEN_DESCRIPTION],
    body: { dto: () => SignInInput },
    answers: [{ status: 200, description: 'The token, or what the sign-in still needs', body: () => PageSignInView }],
    errors: ['FORBIDDEN', 'INVALID_CREDENTIALS', 'WEAK_PASSWORD', ...ADMISSION],
  })
  async begin(
    @Proven() user: AuthenticatedUser,
    @CurrentOrigin() origin: RequestOrigin,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<PageSignInView> {
    const { answer, deviceToken } = await this.signIns.admit(user, { ...origin, ofPage: true });
    giveDeviceToken(reply, deviceToken);
    if (!('accessToken' in answer)) return answer;
    await this.endOf(cookies, origin);
    return this.cookie.keep(reply, answer);
  }

  @Post('refresh')
  @NotRepeatable()
  @Describe({
    summary: 'Refresh the access token of a page',
    description: `${OF_PAGES} The cookie's token is exchanged as by \`POST /api/auth/refresh\`; so is a \`refreshToken\` from a sign-in, which makes that sign-in the session of the page. Windows that call at the same time get the same session; one that calls too late is rejected without ending it.`,
    answers: [
      { status: 200, description: 'The access token', body: () => AccessTokenView },
      { status: 204, description: 'There is no cookie: no one is signed in in this browser' },
    ],
    errors: ['FORBIDDEN', 'INVALID_REFRESH_TOKEN', 'WORKSPACE_SUSPENDED'],
  })
  async refresh(
    @Body() { refreshToken }: HandOverInput,
    @CurrentOrigin() origin: RequestOrigin,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<AccessTokenView | undefined> {
    const token = refreshToken ?? this.cookie.presented(cookies);
    if (token === undefined) {
      reply.status(204);
      return undefined;
    }
    const tokens = await this.sessions.refresh(token, origin, { ofPage: true });
    if (refreshToken !== undefined) await this.endOf(cookies, origin);
    return this.cookie.keep(reply, tokens);
  }

  @Delete()
  @Describe({
    summary: 'Sign a page out',
    description: `${OF_PAGES} Ends the session of the cookie, whose access tokens stop working within a second, and removes the cookie.`,
    answers: [{ status: 204, description: 'No one is signed in in this browser' }],
    errors: ['FORBIDDEN'],
  })
  async end(
    @CurrentOrigin() origin: RequestOrigin,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: HeaderReply,
  ): Promise<void> {
    await this.endOf(cookies, origin);
    this.cookie.drop(reply);
  }

  /** Ends the session that the cookie holds: also the one that a new sign-in replaces. */
  private async endOf(cookies: string | undefined, origin: RequestOrigin): Promise<void> {
    const token = this.cookie.presented(cookies);
    if (token !== undefined) await this.sessions.endOf(token, origin);
  }
}
