import { AUDIENCES, SCOPE_NAMES } from '@crm/contracts';
import { type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { UserRepository } from '../people/user.repository.js';
import { SessionIssuer } from './session-issuer.js';
import { SessionParts } from './session-parts.js';

export interface EndedWithSessions {
  /** `sessions`: whenever the user ends all sessions; `account`: only when the account may be in other hands or must not be used. */
  readonly endsWith: 'sessions' | 'account';
  /** @returns the ids whose tokens were cut off */
  endAllWithin(tx: TenantTransaction, userId: string): Promise<string[]>;
}

@Injectable()
export class SessionService extends SessionIssuer {
  private readonly dependents: EndedWithSessions[] = [];

  constructor(parts: SessionParts, users: UserRepository, @Inject(IDENTITY_CONFIG) config: IdentityConfig) {
    super(parts, {
      kind: 'users',
      lifetime: config.sessions,
      lock: async (tx, id, epoch) => {
        const user = await users.lockForIssue(tx, id, epoch);
        if (user?.status !== 'active') return null;
        const { tenantId: tid, roles } = user;
        return { aud: AUDIENCES.api, sub: user.id, tid, roles: [...roles], scopes: [...SCOPE_NAMES] };
      },
    });
  }

  /** Registers credentials that end with sessions; called once by the service that stores them. */
  alsoEnd(dependent: EndedWithSessions): void {
    this.dependents.push(dependent);
  }

  /** A change that ends all sessions because the account may be in other hands, or must not be used, ends its API keys too. */
  override async endAllWithin(tx: TenantTransaction, userId: string): Promise<string[]> {
    const ended = await this.endDependents(tx, userId, 'account');
    return [...ended, ...(await super.endAllWithin(tx, userId))];
  }

  /** Like {@link endAllWithin}: anyone who knew the previous password can have made a key, or let an app act. */
  override async endOthersWithin(tx: TenantTransaction, userId: string, keptId: string): Promise<string[]> {
    const ended = await this.endDependents(tx, userId, 'account');
    const sessions = await super.endOthersWithin(tx, userId, keptId);
    return [...ended, ...sessions, ...(await this.endDependents(tx, userId, 'sessions'))];
  }

  /** Also what apps may do for the user: anyone who ends every session does not want an app to go on. */
  override async deleteAllWithin(tx: TenantTransaction, userId: string): Promise<string[]> {
    const sessions = await super.deleteAllWithin(tx, userId);
    return [...sessions, ...(await this.endDependents(tx, userId, 'sessions'))];
  }

  private async endDependents(tx: TenantTransaction, userId: string, when: 'sessions' | 'account'): Promise<string[]> {
    const ended: string[] = [];
    for (const { endsWith, endAllWithin } of this.dependents) {
      if (endsWith === when) ended.push(...(await endAllWithin(tx, userId)));
    }
    return ended;
  }
}
