import { Access, CurrentPrincipal, Public } from '@crm/access';
import { type Principal } from '@crm/context';
import { PlatformError, type TokenPair } from '@crm/contracts';
import {
  Describe,
  IdParam,
  type ListAnswer,
  ListQuery,
  mapList,
  NotRepeatable,
  RefreshInput,
  TokenPairView,
} from '@crm/http';
import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CallerService } from './caller.service.js';
import { CallerView, SessionView, sessionView } from './session.dto.js';
import { SessionService } from './session.service.js';

@Controller('api/auth')
export class SessionController {
  constructor(
    private readonly sessions: SessionService,
    private readonly callers: CallerService,
  ) {}

  @Post('refresh')
  @NotRepeatable()
  @HttpCode(200)
  @Public()
  @Describe({
    summary: 'Exchanges a refresh token',
    description: 'Each refresh token works once. One that comes back a second time ends its session.',
    answers: [{ status: 200, description: 'A new pair', body: () => TokenPairView }],
    refusals: ['INVALID_REFRESH_TOKEN'],
  })
  async refresh(@Body() input: RefreshInput): Promise<TokenPair> {
    return this.sessions.refresh(input.refreshToken);
  }

  @Get('me')
  @Access({ right: 'read', embed: true })
  @Describe({ summary: 'The caller', answers: [{ status: 200, description: 'The caller', body: () => CallerView }] })
  async me(@CurrentPrincipal() principal: Principal): Promise<CallerView> {
    return this.callers.describe(principal);
  }

  @Post('logout')
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({ summary: 'Ends the session of the token', answers: [{ status: 204, description: 'Ended' }] })
  async logout(@CurrentPrincipal() principal: Principal): Promise<void> {
    if (principal.sessionId) await this.sessions.end(principal.tenantId, principal.userId, principal.sessionId);
  }

  @Get('sessions')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Open sessions of the caller',
    answers: [{ status: 200, description: 'The last opened first', body: () => SessionView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<SessionView>> {
    const sessions = await this.sessions.list(principal.tenantId, principal.userId, query);
    return mapList(sessions, (session) => sessionView(session, principal.sessionId));
  }

  @Delete('sessions')
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({ summary: 'Ends every session of the caller', answers: [{ status: 204, description: 'Ended' }] })
  async endAll(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.sessions.endAll(principal.tenantId, principal.userId);
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @Access({ right: 'read' })
  @Describe({ summary: 'Ends one session of the caller', answers: [{ status: 204, description: 'Ended' }] })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    const found = await this.sessions.end(principal.tenantId, principal.userId, id);
    if (!found) throw new PlatformError('NOT_FOUND', 'There is no such session');
  }
}
