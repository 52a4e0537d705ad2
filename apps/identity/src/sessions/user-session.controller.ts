import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList } from '@crm/http';
import { Controller, Delete, Get, Query } from '@nestjs/common';
import { USER_GROUP } from '../api-groups.js';
import { SessionView } from './session.dto.js';
import { sessionView, UserSessionService } from './user-session.service.js';

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
