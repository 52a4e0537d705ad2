import { type Principal, ProofSource } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { tenantOf } from '../platform-tenant.js';
import { AuthenticationMethods } from './authentication-methods.js';
import { SessionRepository } from './session.repository.js';

/**
 * Changes that would let a stolen token take over need a recent proof. A sign-in is one; a refresh is not. Rules with `proof: true`
 * ask for it before the call; changes that depend on the body or must not outlive what ended the session ask for it themselves.
 */
@Injectable()
export class RecentProof extends ProofSource {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    private readonly methods: AuthenticationMethods,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {
    super();
  }

  override async assert(principal: Principal): Promise<void> {
    await this.database.transaction(tenantOf(principal), (tx) => this.assertWithin(tx, principal));
  }

  /** @throws PlatformError TOKEN_REVOKED when the session has ended; FORBIDDEN for a token without a session */
  async note(principal: Principal): Promise<void> {
    const sessionId = sessionOf(principal);
    const open = await this.database.transaction(tenantOf(principal), (tx) =>
      this.sessions.markProven(tx, principal.userId, sessionId),
    );
    if (!open) throw new PlatformError('TOKEN_REVOKED');
  }

  /** For a change that must not outlive what ended the session. @throws PlatformError STEP_UP_REQUIRED */
  async assertWithin(tx: TenantTransaction, { userId, sessionId }: Principal): Promise<void> {
    const proven =
      sessionId !== undefined && (await this.sessions.wasProven(tx, userId, sessionId, this.config.stepUpSeconds));
    if (!proven) throw await this.methods.refusal(tx, userId, 'STEP_UP_REQUIRED');
  }
}

/** @throws PlatformError FORBIDDEN */
export function sessionOf({ sessionId }: Principal): string {
  if (sessionId === undefined) throw new PlatformError('FORBIDDEN', 'This token has no session');
  return sessionId;
}
