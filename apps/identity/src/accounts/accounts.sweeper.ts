import { Database, type NarrowTransaction, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import {
  AuthorizationCode,
  AuthorizationRequest,
  Grant,
  GrantToken,
  OAuthInstallation,
} from '../oauth/oauth.entity.js';
import { type Claimant, EmailClaimRepository } from '../people/email.repository.js';
import { SignInEmail } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { DELETE_LIFTED_SUSPENSIONS, RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { RefreshToken, RevocationCutoff, SigningKey } from '../sessions/sessions.entity.js';
import { PasskeyRepository } from '../sign-in/factor.repository.js';
import { SpentPasskeyChallenge } from '../sign-in/sign-in.entity.js';
import { ProviderLinkRequest, ProviderSignIn } from '../single-sign-on/single-sign-on.entity.js';
import { EmailChange, PasswordReset } from './accounts.entity.js';

const PAST = Raw((column) => `${column} < now()`);
/** Kept, so that an old token can be told from a forged one, and the owner of an API key sees that it has expired. */
const LONG_PAST = Raw((column) => `${column} < now() - interval '30 days'`);

/** Rows that are no longer of use: of global tables, and of those that the narrow role may sweep for every tenant. */
@Injectable()
export class ExpiredRowRepository {
  async delete(tx: NarrowTransaction): Promise<void> {
    await tx.repository(RefreshToken).delete({ expiresAt: PAST });
    // Before their reinstatements, which expire.
    await tx.query(DELETE_LIFTED_SUSPENSIONS, []);
    await tx.repository(RevocationCutoff).delete({ expiresAt: PAST });
    await tx.repository(SigningKey).delete({ retiresAt: LONG_PAST });
    await tx.repository(ApiKey).delete({ expiresAt: LONG_PAST });
    await tx.repository(PasswordReset).delete({ expiresAt: PAST });
    await tx.repository(EmailChange).delete({ expiresAt: PAST });
    await tx.repository(ProviderSignIn).delete({ expiresAt: PAST });
    await tx.repository(ProviderLinkRequest).delete({ expiresAt: PAST });
    await tx.repository(SignInEmail).delete({ reservedUntil: PAST });
    await tx.repository(SpentPasskeyChallenge).delete({ expiresAt: PAST });
    await tx.repository(AuthorizationRequest).delete({ expiresAt: PAST });
    await tx.repository(AuthorizationCode).delete({ expiresAt: PAST });
    await tx.repository(GrantToken).delete({ expiresAt: PAST });
    await tx.repository(Grant).delete({ expiresAt: PAST });
    await tx.repository(OAuthInstallation).delete({ endedAt: LONG_PAST });
  }
}

const EVERY_MS = 10 * 60_000;

@Injectable()
export class ExpiredRowSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly expiredRows: ExpiredRowRepository,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    await this.database.crossTenant((tx) => this.expiredRows.delete(tx));
  }
}

const AT_A_TIME = 100;

/** Closes workspaces whose address nobody has verified: the address and the name may be another person's. */
@Injectable()
export class LapsedClaimSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly claims: EmailClaimRepository,
    private readonly persons: PersonRepository,
    private readonly tenants: TenantRepository,
    private readonly users: UserRepository,
    private readonly sessions: SessionService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    private readonly passkeys: PasskeyRepository,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    for (;;) {
      const lapsed = await this.database.crossTenant((tx) => this.claims.listLapsed(tx, AT_A_TIME));
      for (const claim of lapsed) {
        if (stopping?.aborted) return;
        await this.close(claim);
      }
      if (lapsed.length < AT_A_TIME) return;
    }
  }

  /** The claim goes last: whatever fails before is done again by the next sweep. */
  private async close({ tenantId, userId, email }: Claimant): Promise<void> {
    const isLapsed = await this.database.crossTenant(async (tx) => {
      await this.persons.holdAddress(tx, email);
      if (!(await this.claims.end(tx, userId))) return false;
      // Without it nobody verifies the address from here on.
      await this.persons.deleteLocal(tx, userId);
      return true;
    });
    if (!isLapsed) return;
    const ended = await this.database.transaction(tenantId, async (tx) => {
      await this.users.lock(tx, userId);
      const forgotten = { email: `closed-${userId}@invalid`, name: 'Closed', passwordHash: null };
      await this.users.update(tx, userId, { ...forgotten, status: 'disabled' });
      await this.passkeys.deleteOfUser(tx, userId);
      await this.tenants.close(tx);
      this.trail.record(tx, { action: 'workspace.closed', subject: { kind: 'workspace', id: tenantId } });
      await this.trail.forgetOrigins(tx, userId);
      await this.revocations.record(tx, 'tenant', tenantId);
      return this.sessions.endAllWithin(tx, userId);
    });
    await this.sessions.forget(ended);
    await this.database.crossTenant((tx) => this.claims.delete(tx, userId));
    this.logger.log({ msg: 'A workspace whose address nobody verified was closed', tenantId });
  }
}
