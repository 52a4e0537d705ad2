import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { PasskeyRepository } from '../passkeys/passkey.repository.js';
import { type Claimant, EmailClaimRepository } from '../people/email-claim.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { TenantRepository } from '../people/tenant.repository.js';
import { UserRepository } from '../people/user.repository.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';

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
    super({ everyMs: 10 * 60_000, atStart: true });
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
