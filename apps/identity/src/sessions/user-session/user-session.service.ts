import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import type { ListAnswer, ListQuery } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { assertGrantable } from '../../accounts/user/grantable-roles.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { RecentProof } from '../session/recent-proof.js';
import type { Session } from '../session/session.entity.js';
import { SessionService } from '../session/session.service.js';

/** The sessions of the users of a workspace, as its administrators see and end them. */
@Injectable()
export class UserSessionService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly sessions: SessionService,
    private readonly proof: RecentProof,
  ) {}

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE for a user with a role above the principal's, INVALID_QUERY */
  async list(principal: Principal, userId: string, query: ListQuery): Promise<ListAnswer<Session>> {
    await this.assertAdministered(principal, userId);
    return this.sessions.list(principal.tenantId, userId, query);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED */
  async end(principal: Principal, userId: string, sessionId: string): Promise<void> {
    await this.assertAdministered(principal, userId);
    await this.proof.assert(principal);
    const found = await this.sessions.end(principal, userId, sessionId);
    if (!found) throw new PlatformError('NOT_FOUND', 'There is no such session');
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED */
  async endAll(principal: Principal, userId: string): Promise<void> {
    await this.assertAdministered(principal, userId);
    await this.proof.assert(principal);
    await this.sessions.endAll(principal, userId);
  }

  private async assertAdministered(principal: Principal, userId: string): Promise<void> {
    const user = await this.database.transaction(principal.tenantId, (tx) => this.users.find(tx, userId));
    if (!user) throw new PlatformError('NOT_FOUND', 'There is no such user');
    assertGrantable(principal, user.roles);
  }
}
