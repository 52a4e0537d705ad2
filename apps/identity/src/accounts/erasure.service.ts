import type { Principal } from '@crm/access';
import { EVENTS, PlatformError } from '@crm/contracts';
import { appendEvent, Database, inWorkspace } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { assertGrantable } from '../people/user.service.js';
import { RecentProof } from '../sessions/proof.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { ErasureRepository } from './personal-data.repository.js';

@Injectable()
export class ErasureService {
  constructor(
    private readonly database: Database,
    private readonly erasures: ErasureRepository,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    private readonly proof: RecentProof,
  ) {}

  /**
   * The id stays, in the audit trail and in records.
   * @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND, ROLE_NOT_GRANTABLE, CONFLICT for the last owner
   */
  async erase(principal: Principal, userId: string): Promise<void> {
    await this.proof.assert(principal);
    const { tenantId } = principal;
    await inWorkspace(this.database, principal, async (tx) => {
      const owners = await this.erasures.lockOwners(tx, tenantId);
      const user = await this.erasures.lockUser(tx, tenantId, userId);
      if (!user) throw new PlatformError('NOT_FOUND', 'There is no such user');
      if (userId !== principal.userId) assertGrantable(principal, user.roles);
      if (owners.length === 1 && owners[0] === userId) {
        throw new PlatformError('CONFLICT', 'A workspace keeps at least one owner: make somebody else an owner first');
      }
      await this.erasures.erase(tx, tenantId, user);
      await this.revocations.record(tx, 'user', userId);
      this.trail.record(tx, {
        action: 'user.erased',
        subject: { kind: 'user', id: userId },
        detail: { bySelf: userId === principal.userId },
      });
      // After the entry above, which has the address of somebody who erases themselves.
      await this.trail.forgetPlaces(tx, userId);
      await appendEvent(tx, EVENTS['user.erased'], { tenantId, subject: userId, data: { userId } });
    });
    await this.revocations.publishPending();
  }
}
