import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { BooleanField, field, type ListAnswer, ListField, type ListQuery, ObjectField } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { deviceOf } from '../audit/request-origin.decorator.js';
import { shownAddress } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import { assertAdministered, TenantService, UserSummaryView } from '../people/people.service.js';
import { Workspace } from '../people/workspace.dto.js';
import type { PersonSession } from './person-session.repository.js';
import { type SessionView } from './session.dto.js';
import { SessionService } from './session.service.js';
import type { Session } from './sessions.entity.js';

export class CallerView extends UserSummaryView {
  @ListField(field.text({ maxLength: 40 }), {
    description: 'Scopes that limit the token; an empty list means that only the role decides',
  })
  scopes: string[];

  @BooleanField() mfaEnabled: boolean;
  @ObjectField(() => Workspace) tenant: Workspace;
}

@Injectable()
export class CallerService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly tenants: TenantService,
  ) {}

  /** Roles and scopes are the token's, which count; the rest is what is stored now. */
  async describe(principal: Principal): Promise<CallerView> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      // Sent together: one round trip.
      const [user, tenant] = await Promise.all([this.users.find(tx, principal.userId), this.tenants.view(tx)]);
      if (!user) throw new PlatformError('NOT_FOUND', 'User not found');
      return {
        id: user.id,
        email: shownAddress(user),
        name: user.name,
        roles: [...principal.roles],
        scopes: [...principal.scopes],
        mfaEnabled: user.mfaEnabled,
        tenant,
      };
    });
  }
}

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
