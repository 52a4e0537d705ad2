import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, millisecondsOfId, type NarrowTransaction } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { apiKeyView } from '../api-keys/api-key.dto.js';
import type { AuditEntryView } from '../audit/audit-log.dto.js';
import { AuditLogRepository } from '../audit/audit-log.repository.js';
import { auditEntryView, usersOf } from '../audit/audit-log.service.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { grantView } from '../oauth/grant.service.js';
import { shownAddress } from '../people/people.entity.js';
import { assertGrantable, TenantService } from '../people/people.service.js';
import { sessionView } from '../sessions/caller.service.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { passkeyView } from '../sign-in/passkey.service.js';
import { type PersonalData, PersonalDataRepository } from './personal-data.repository.js';

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;
const createdAt = ({ id }: { id: string }): string => new Date(millisecondsOfId(id)).toISOString();

function archiveOf(data: PersonalData, currentSessionId: string | undefined) {
  const { user, sessions, authenticator, recoveryCodesLeft, passkeys, invitations, emailChanges } = data;
  const { id, name, roles, status, origin, mfaEnabled, createdAt: since } = user;
  const email = shownAddress(user);
  return {
    account: { id, email, name, roles, status, origin, hasPassword: user.passwordHash !== null, createdAt: iso(since) },
    secondFactor: {
      enabled: mfaEnabled,
      authenticatorSince: iso(authenticator?.confirmedAt ?? null),
      recoveryCodesLeft,
      passkeys: passkeys.map(passkeyView),
    },
    sessions: sessions.map((session) => sessionView(session, currentSessionId)),
    invitations: invitations.map((invitation) => ({
      sentAt: createdAt(invitation),
      expiresAt: invitation.expiresAt.toISOString(),
      acceptedAt: iso(invitation.acceptedAt),
    })),
    emailChanges: emailChanges.map((change) => ({
      from: change.oldEmail,
      to: change.newEmail,
      requestedAt: createdAt(change),
      confirmedAt: iso(change.confirmedAt),
    })),
    embedLinks: data.embedLinks.map(({ appKey, sub, undoneAt }) => ({ appKey, sub, undoneAt: iso(undoneAt) })),
    providerLinkRequests: data.linkRequests.map(({ issuer, createdAt, deniedAt }) => ({
      ...{ issuer, askedAt: iso(createdAt), deniedAt: iso(deniedAt) },
    })),
    providerLinks: data.providerLinks.map(({ issuer, sub, createdAt }) => ({ issuer, sub, since: iso(createdAt) })),
    apiKeys: data.apiKeys.map(apiKeyView),
    appGrants: data.grants.map(grantView),
  };
}

/** An entry of the audit trail as the person gets it: from where others acted is those others' data. */
function ownEntry(entry: AuditEntryView, userId: string): AuditEntryView {
  const isOthers = entry.actor.kind !== 'system' && entry.actor.id !== userId;
  return isOthers ? { ...entry, address: null, device: null } : entry;
}

const BATCH = 500;

export const EXPORTS_PER_HOUR = 10;

/** Names the members of the archive; another number when one of them changes its meaning. */
const FORMAT = 'crm-personal-data/1';

@Injectable()
export class PersonalDataExportService {
  private readonly limit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly data: PersonalDataRepository,
    private readonly log: AuditLogRepository,
    private readonly tenants: TenantService,
    private readonly sessions: PersonSessionService,
    private readonly trail: AuditTrail,
    limits: LimiterStore,
  ) {
    const limit = { name: 'personal-data-export', points: EXPORTS_PER_HOUR, windowSeconds: 3600 };
    this.limit = new Limiter(limits, limit, "Too many exports of this user's data. Try again later");
  }

  /**
   * Holds no connection while the client reads, and is recorded before its first piece.
   * @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, RATE_LIMITED
   */
  async export(principal: Principal, userId: string): Promise<AsyncGenerator<string>> {
    // Where else a person is, is none of an administrator's business, nor of a provider's.
    const isOwn = userId === principal.userId;
    const read = (tx: NarrowTransaction) => this.data.readPerson(tx, userId);
    const isTheirs = isOwn && !(await this.sessions.visibleWorkspaces(principal)).partial;
    const ofPerson = isTheirs ? await inWorkspace(this.database, principal, read) : {};
    const { head, roles } = await this.database.transaction(principal.tenantId, async (tx) => {
      const data = await this.data.read(tx, userId);
      if (!data) throw new PlatformError('NOT_FOUND', 'User not found');
      const { id, name } = await this.tenants.view(tx);
      const archive = archiveOf(data, principal.sessionId);
      const exportedAt = new Date().toISOString();
      const head = { format: FORMAT, exportedAt, workspace: { id, name }, ...archive, ...ofPerson };
      return { head, roles: data.user.roles };
    });
    if (!isOwn) assertGrantable(principal, roles);
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
