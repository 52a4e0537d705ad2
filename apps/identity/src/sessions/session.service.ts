import { AUDIENCES, SCOPE_NAMES } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { UserRepository } from '../people/user.repository.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { TokenSigner } from './token-signer.js';
import { GrantRepository } from '../oauth/grant.repository.js';
import { ApiKeyEnding } from '../api-keys/api-key-ending.js';
import { RefreshTokenRepository } from './refresh-token.repository.js';
import { RevocationService } from './revocation.service.js';
import { PendingSignInRepository } from './pending-sign-in.repository.js';
import { SessionRepository } from './session.repository.js';
import { Sessions } from './sessions.js';

export type { ProvenSignIn, SignInOrigin } from './sessions.js';

/** The sessions of users. */
@Injectable()
export class SessionService extends Sessions {
  constructor(
    database: Database,
    sessions: SessionRepository,
    pending: PendingSignInRepository,
    refreshTokens: RefreshTokenRepository,
    users: UserRepository,
    signer: TokenSigner,
    private readonly revocations: RevocationService,
    trail: AuditTrail,
    private readonly apiKeys: ApiKeyEnding,
    private readonly grants: GrantRepository,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    super(
      { database, sessions, pending, refreshTokens, signer, revocations, trail },
      {
        kind: 'users',
        lifetime: config.sessions,
        lock: async (tx, id, epoch) => {
          const user = await users.lockForIssue(tx, id, epoch);
          if (user?.status !== 'active') return null;
          return {
            aud: AUDIENCES.api,
            sub: user.id,
            tid: user.tenantId,
            roles: [...user.roles],
            scopes: [...SCOPE_NAMES],
          };
        },
      },
    );
  }

  /** A change that ends all sessions because the account may be in other hands, or must not be used, ends its API keys too. */
  override async endAllWithin(tx: TenantTransaction, userId: string): Promise<string[]> {
    await this.apiKeys.endAllWithin(tx, userId);
    return super.endAllWithin(tx, userId);
  }

  /** As {@link endAllWithin}: whoever knew the previous password can have made a key, or let an app act. */
  override async endOthersWithin(tx: TenantTransaction, userId: string, keptId: string): Promise<string[]> {
    await this.apiKeys.endAllWithin(tx, userId);
    const sessions = await super.endOthersWithin(tx, userId, keptId);
    return [...sessions, ...(await this.endGrants(tx, userId))];
  }

  /** Also what apps may do for the user: whoever ends every session does not want an app to go on. */
  protected override async deleteAllWithin(tx: TenantTransaction, userId: string): Promise<string[]> {
    const sessions = await super.deleteAllWithin(tx, userId);
    return [...sessions, ...(await this.endGrants(tx, userId))];
  }

  private async endGrants(tx: TenantTransaction, userId: string): Promise<string[]> {
    const grants = await this.grants.deleteOfUser(tx, userId);
    for (const id of grants) await this.revocations.record(tx, 'session', id);
    return grants;
  }
}
