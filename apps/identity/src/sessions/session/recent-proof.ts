import type { Principal } from '@crm/access';
import { Database, type TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';
import { PLATFORM_TENANT } from '../../platform-tenant.js';
import { ProofWays } from './proof-ways.js';
import { SessionRepository } from './session.repository.js';

/**
 * Protects changes that would let a stolen access token take over for good: they need a session in which the password or the
 * second factor was proven a short while ago. A sign-in is such a proof, one at a provider from when that has authenticated the
 * person; a refresh is not.
 */
@Injectable()
export class RecentProof {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    private readonly ways: ProofWays,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** @throws PlatformError STEP_UP_REQUIRED with the proofs that are possible, also for a token without a session */
  async assert(principal: Principal): Promise<void> {
    const tenant = principal.kind === 'operator' ? PLATFORM_TENANT : principal.tenantId;
    await this.database.transaction(tenant, (tx) => this.assertWithin(tx, principal));
  }

  /**
   * As {@link assert}, in the transaction of the change, for one that must not outlive what ended the session.
   * @throws PlatformError STEP_UP_REQUIRED
   */
  async assertWithin(tx: TenantTransaction, { userId, sessionId }: Principal): Promise<void> {
    const proven =
      sessionId !== undefined && (await this.sessions.wasProven(tx, userId, sessionId, this.config.stepUpSeconds));
    if (!proven) throw await this.ways.refusal(tx, userId, 'STEP_UP_REQUIRED');
  }
}
