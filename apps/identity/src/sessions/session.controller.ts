import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { PlatformError, type TokenPair } from '@crm/contracts';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { SIGN_IN_GROUP, USER_GROUP } from '../api-groups.js';
import { CurrentOrigin, type RequestOrigin } from '../audit/request-origin.decorator.js';
import { CallerService, CallerView, sessionView, UserSessionService } from './caller.service.js';
import { PersonSessionService } from './person-session.service.js';
import { PersonSessionView, RefreshInput, SessionView, TokenPairView } from './session.dto.js';
import { SessionService } from './session.service.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/auth')
export class SessionController {
  constructor(
    private readonly sessions: SessionService,
    private readonly ofPerson: PersonSessionService,
    private readonly callers: CallerService,
  ) {}

  @Post('refresh')
  @NotRepeatable()
  @Public()
  @Describe({
    summary: 'Refresh the tokens',
    description:
      "Each refresh token works once. A client that lost the response can send the same token again for 10 seconds and gets the same successor, if that wasn't used; otherwise reusing a token ends its session. A session ends after 2 weeks without a refresh, and after 90 days at the latest, unless the platform is configured otherwise.",
    answers: [{ status: 200, description: 'The new pair of tokens', body: () => TokenPairView }],
    errors: ['INVALID_REFRESH_TOKEN', 'WORKSPACE_SUSPENDED'],
  })
  async refresh(@Body() input: RefreshInput, @CurrentOrigin() origin: RequestOrigin): Promise<TokenPair> {
    return this.sessions.refresh(input.refreshToken, origin);
  }

  @Get('me')
  @Access({ right: 'read', embed: true })
  @Describe({
    summary: 'Get the current user',
    description: "The access token's user and workspace.",
    answers: [{ status: 200, description: 'The current user', body: () => CallerView }],
  })
  async me(@CurrentPrincipal() principal: Principal): Promise<CallerView> {
    return this.callers.describe(principal);
  }

  @Post('logout')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Sign out',
    description: 'Ends the session of the access token. Its refresh token stops working.',
    answers: [{ status: 204, description: 'Signed out' }],
  })
  async logout(@CurrentPrincipal() principal: Principal): Promise<void> {
    const { userId, sessionId } = principal;
    if (sessionId) await this.sessions.end(principal, userId, sessionId, 'sign_in.signed_out');
  }

  @Get('sessions')
  @Access({ right: 'read', person: 'reach' })
  @Describe({
    summary: 'List your sessions',
    description:
      "A session is one sign-in on one device, with where it was opened and last used. The list covers all of the person's workspaces. It covers only the session's own workspace if an identity provider opened the session, if it began before the address was verified, or if the user lacks the second factor that the person has elsewhere.",
    answers: [{ status: 200, description: 'The sessions, newest first', body: () => PersonSessionView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<PersonSessionView>> {
    const sessions = await this.ofPerson.list(principal, query);
    return mapList(sessions, (session) => {
      const { tenantId, workspace } = session;
      return { ...sessionView(session, principal.sessionId), tenantId, workspace };
    });
  }

  @Delete('sessions')
  @Access({ right: 'read', person: 'reach' })
  @Describe({
    summary: 'End all of your sessions',
    description:
      'Ends the current session, too, and disconnects apps, in each workspace whose sessions are listed. Their access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
  })
  async endAll(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.ofPerson.endAll(principal);
  }

  @Delete('sessions/:id')
  @Access({ right: 'read', person: 'reach' })
  @Describe({
    summary: 'End one of your sessions',
    description: 'Any session in the list. Its access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The session has ended' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    const found = await this.ofPerson.end(principal, id);
    if (!found) throw new PlatformError('NOT_FOUND', 'Session not found');
  }
}

@ApiGroup(USER_GROUP)
@Controller('api/tenant/users/:id/sessions')
@Access({ right: 'administer', proof: false })
export class UserSessionController {
  constructor(private readonly sessions: UserSessionService) {}

  @Get()
  @Describe({
    summary: 'List the sessions of a user',
    description: 'Includes the device and where each session was used. Not for users with a role higher than your own.',
    answers: [{ status: 200, description: 'The sessions, newest first', body: () => SessionView, list: true }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<SessionView>> {
    const sessions = await this.sessions.list(principal, userId, query);
    return mapList(sessions, (session) => sessionView(session, principal.sessionId));
  }

  @Delete()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'End all sessions of a user',
    description: 'Their access tokens stop working within a second. The user can sign in again.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async endAll(@CurrentPrincipal() principal: Principal, @IdParam() userId: string): Promise<void> {
    await this.sessions.endAll(principal, userId);
  }

  @Delete(':sessionId')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'End a session of a user',
    description: "The session's access tokens stop working within a second.",
    answers: [{ status: 204, description: 'The session has ended' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async end(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @IdParam('sessionId') sessionId: string,
  ): Promise<void> {
    await this.sessions.end(principal, userId, sessionId);
  }
}
