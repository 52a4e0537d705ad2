import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList } from '@crm/http';
import { SessionView } from '@crm/identity-views';
import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { USER_GROUP } from '../../api-groups.js';
import { sessionView } from '../session/session-view.js';
import { UserSessionService } from './user-session.service.js';

@ApiGroup(USER_GROUP)
@Controller('api/tenant/users/:id/sessions')
export class UserSessionController {
  constructor(private readonly sessions: UserSessionService) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Lists the open sessions of a user',
    description: 'With the device and where each was used. Not for users with a role above your own.',
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
  @HttpCode(204)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Ends every session of a user',
    description:
      'Access tokens of these sessions stop working within a second; the user can sign in again. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 204, description: 'The sessions have ended' }],
    errors: ['ROLE_NOT_GRANTABLE', 'STEP_UP_REQUIRED'],
  })
  async endAll(@CurrentPrincipal() principal: Principal, @IdParam() userId: string): Promise<void> {
    await this.sessions.endAll(principal, userId);
  }

  @Delete(':sessionId')
  @HttpCode(204)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Ends one session of a user',
    description:
      'Access tokens of the session stop working within a second. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 204, description: 'The session has ended' }],
    errors: ['ROLE_NOT_GRANTABLE', 'STEP_UP_REQUIRED'],
  })
  async end(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @IdParam('sessionId') sessionId: string,
  ): Promise<void> {
    await this.sessions.end(principal, userId, sessionId);
  }
}
