import type { Principal } from '@crm/context';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../../config.js';
import { PLATFORM_TENANT } from '../../platform-tenant.js';
import { SessionRepository } from './session.repository.js';

/**
 * Protects changes that would let a stolen access token take over for good: they need a session in which the password or the
 * second factor was proven a short while ago. A sign-in is such a proof, a refresh is not.
 */
@Injectable()
export class RecentProof {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionRepository,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** @throws PlatformError STEP_UP_REQUIRED, also for a token without a session */
  async assert({ kind, tenantId, userId, sessionId }: Principal): Promise<void> {
    const tenant = kind === 'operator' ? PLATFORM_TENANT : tenantId;
    const proven =
      sessionId !== undefined &&
      (await this.database.transaction(tenant, (tx) =>
        this.sessions.wasProven(tx, userId, sessionId, this.config.stepUpSeconds),
      ));
    if (!proven) throw new PlatformError('STEP_UP_REQUIRED');
  }
}
