import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type ListAnswer, type ListQuery } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { deviceOf } from '../audit/request-origin.decorator.js';
import { UserRepository } from '../people/user.repository.js';
import { assertAdministered } from '../people/user.service.js';
import type { PersonSession } from './person-session.repository.js';
import { type SessionView } from './session.dto.js';
import { SessionService } from './session.service.js';
import type { Session } from './sessions.entity.js';

export function sessionView(session: PersonSession, currentId: string | undefined): SessionView {
  return {
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    lastAddress: session.lastAddress ?? session.address,
    userAgent: session.userAgent,
    device: deviceOf(session.userAgent),
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    endsAt: session.endsAt.toISOString(),
  };
}

@Injectable()
export class UserSessionService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly sessions: SessionService,
  ) {}

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE for a user with a role above the principal's, INVALID_QUERY */
  async list(principal: Principal, userId: string, query: ListQuery): Promise<ListAnswer<Session>> {
    await assertAdministered(this.database, this.users, principal, userId);
    return this.sessions.list(principal.tenantId, userId, query);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE */
  async end(principal: Principal, userId: string, sessionId: string): Promise<void> {
    await assertAdministered(this.database, this.users, principal, userId);
    const found = await this.sessions.end(principal, userId, sessionId);
    if (!found) throw new PlatformError('NOT_FOUND', 'Session not found');
  }

  async endAll(principal: Principal, userId: string): Promise<void> {
    await assertAdministered(this.database, this.users, principal, userId);
    await this.sessions.endAll(principal, userId);
  }
}
