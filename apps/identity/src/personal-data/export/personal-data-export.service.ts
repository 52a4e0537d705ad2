import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { TenantService } from '../../accounts/tenant/tenant.service.js';
import { assertGrantable } from '../../accounts/user/grantable-roles.js';
import { AuditLogRepository } from '../../audit/log/audit-log.repository.js';
import { auditEntryView, usersOf } from '../../audit/log/audit-log-view.js';
import { AuditTrail } from '../../audit/trail/audit-trail.service.js';
import { RecentProof } from '../../sessions/session/recent-proof.js';
import { PersonalDataRepository } from './personal-data.repository.js';
import { archiveOf, ownEntry } from './personal-data-view.js';

/** Entries of the audit trail that one transaction reads. */
const BATCH = 500;

/** Exports of one user in an hour, whoever asks. */
export const EXPORTS_PER_HOUR = 10;

/** Names the members of the archive; another number when one of them changes its meaning. */
const FORMAT = 'crm-personal-data/1';

/** Hands out what identity keeps of a user, as a JSON document. */
@Injectable()
export class PersonalDataExportService {
  private readonly limit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly data: PersonalDataRepository,
    private readonly log: AuditLogRepository,
    private readonly tenants: TenantService,
    private readonly trail: AuditTrail,
    private readonly proof: RecentProof,
    limits: LimiterStore,
  ) {
    const limit = { name: 'personal-data-export', points: EXPORTS_PER_HOUR, windowSeconds: 3600 };
    this.limit = new Limiter(limits, limit, 'The data of this user were exported too often');
  }

  /**
   * The archive of the principal or of another user with no role above the principal's, piece by piece. It holds no connection
   * while the client reads. The export is recorded before its first piece.
   * @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND, ROLE_NOT_GRANTABLE, RATE_LIMITED
   */
  async export(principal: Principal, userId: string): Promise<AsyncGenerator<string>> {
    await this.proof.assert(principal);
    const { head, roles } = await this.database.transaction(principal.tenantId, async (tx) => {
      const data = await this.data.read(tx, userId);
      if (!data) throw new PlatformError('NOT_FOUND', 'There is no such user');
      const { id, name } = await this.tenants.view(tx);
      const archive = archiveOf(data, principal.sessionId);
      const exportedAt = new Date().toISOString();
      return { head: { format: FORMAT, exportedAt, workspace: { id, name }, ...archive }, roles: data.user.roles };
    });
    if (userId !== principal.userId) assertGrantable(principal, roles);
    await this.limit.consume(userId);
    await this.database.transaction(principal, async (tx) => {
      this.trail.record(tx, { action: 'user.data_exported', subject: { kind: 'user', id: userId } });
    });
    return this.pieces(principal.tenantId, userId, head);
  }

  private async *pieces(tenantId: string, userId: string, head: object): AsyncGenerator<string> {
    // The entries are the last member, so that the document is written as they are read.
    yield `${JSON.stringify(head).slice(0, -1)},"auditTrail":[`;
    let last: string | undefined;
    for (;;) {
      const views = await this.database.transaction(tenantId, async (tx) => {
        const entries = await this.log.listOfUser(tx, userId, BATCH, last);
        const names = await this.log.namesOf(tx, usersOf(entries));
        return entries.map((entry) => ownEntry(auditEntryView(entry, names), userId));
      });
      if (views.length > 0)
        yield (last === undefined ? '\n' : ',\n') + views.map((view) => JSON.stringify(view)).join(',\n');
      if (views.length < BATCH) break;
      last = views.at(-1)?.id;
    }
    yield '\n]}\n';
  }
}
