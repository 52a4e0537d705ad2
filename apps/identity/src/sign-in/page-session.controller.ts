import { Proven, Public, StrategyGuard } from '@crm/access';
import { ApiGroup, Describe, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Headers, Post, Res, UseGuards } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { DEVICE_TOKEN_DESCRIPTION, giveDeviceToken, type HeaderReply } from '../guesses/device-tokens.js';
import { AccessTokenView } from '../sessions/session.dto.js';
import { SessionService } from '../sessions/session.service.js';
import { PAGE_SESSION_PATH, PageCookie } from './page-cookie.js';
import { PAGE_HEADER, PageGuard } from './page-guard.js';
import { ADMISSION, PasswordStrategy } from './password.strategy.js';
import { HandOverInput, PageSignInView, SignInInput } from './sign-in.dto.js';
import { type AuthenticatedUser, SignInService } from './sign-in.service.js';

const OF_PAGES = `For pages at the platform's own address, which \`Origin\` has to say, with \`${PAGE_HEADER.name}: ${PAGE_HEADER.value}\`.`;

@ApiGroup(SIGN_IN_GROUP)
@Controller(PAGE_SESSION_PATH)
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
