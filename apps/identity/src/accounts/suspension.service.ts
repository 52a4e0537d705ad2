import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { actingOperator, recordOperatorAct } from '@crm/operator-audit';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import type { Tenant } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { MAX_NOTIFIED_ADMINISTRATORS } from '../people/people.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { RevocationService } from '../sessions/revocation.service.js';
import type { TenantSuspension } from './accounts.entity.js';
import { suspensionMail } from './accounts.mail.js';
import { SuspensionRepository } from './accounts.repository.js';
import type { TenantDecision, TenantStandingView } from './operator.dto.js';

const LONGEST_REASON = 2000;
/** Milliseconds for which a decision waits for its turn; marketplace-admin waits longer for the answer. */
const LONGEST_WAIT_MS = 5000;

/** What each decision leads to, and what the trail of the workspace calls it. */
const OUTCOMES = {
  suspend: { state: 'suspended', action: 'workspace.suspended', cutoff: 'suspension' },
  reinstate: { state: 'active', action: 'workspace.reinstated', cutoff: 'reinstatement' },
} as const;

/** The decision commits with its cut-offs: no token is accepted meanwhile, and afterwards none from before. */
@Injectable()
export class SuspensionService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantRepository,
    private readonly suspensions: SuspensionRepository,
    private readonly users: UserRepository,
    private readonly mails: MailService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * One that changes nothing leaves no entry.
   * @throws PlatformError OWN_WORKSPACE, NOT_FOUND, VALIDATION_FAILED; DEADLINE_EXCEEDED when the
   * caller has given up: anyone who decides anew meanwhile must not be overtaken
   */
  async decide(operator: Principal, id: string, decision: TenantDecision, reason: string): Promise<TenantStandingView> {
    const tenantId = id.toLowerCase();
    if (operator.linkedTenantId === tenantId) throw new PlatformError('OWN_WORKSPACE');
    const why = reason.trim().slice(0, LONGEST_REASON);
    if (why === '') throw reasonRequired(decision);
    const deadline = performance.now() + LONGEST_WAIT_MS;
    const standing = await this.database.transaction({ ...operator, tenantId }, async (tx) => {
      const tenant = await this.tenants.lock(tx);
      if (performance.now() > deadline) throw new PlatformError('DEADLINE_EXCEEDED');
      if (!tenant || tenant.closedAt) throw new PlatformError('NOT_FOUND', 'Workspace not found');
      const last = await this.suspensions.find(tx);
      const before = standingOf(tenant, last);
      if (before.state === OUTCOMES[decision].state) return before;
      const next = nextSuspension(tenant, last, decision, why);
      // It holds administrators, and so comes before sessions end: the order of every change of a user.
      await this.notify(tx, tenant, decision, why);
      await this.apply(tx, operator, { decision, reason: why, next });
      return standingOf(tenant, next);
    });
    // Also when nothing has changed: anyone who asks again wants to be sure.
    await this.revocations.publishPending();
    return standing;
  }

  /** @throws PlatformError INVALID_QUERY for a cursor of another list */
  async listSuspended(query: ListQuery): Promise<ListAnswer<TenantStandingView>> {
    const page = parsePage(query, {
      tenantId: PLATFORM_TENANT,
      list: 'suspended-tenants',
      sort: '-suspendedAt',
      value: 'date-time',
    });
    const { suspensions, counted } = await this.database.crossTenant((tx) => this.suspensions.listInForce(tx, page));
    const data = suspensions.map((one) => standingOf({ id: one.tenantId, name: one.name }, one));
    return listAnswer(data, page, counted, ({ id, suspendedAt }) => ({ value: suspendedAt, id }));
  }

  /** Mail is sent while the workspace is suspended. */
  private async notify(tx: TenantTransaction, tenant: Tenant, decision: TenantDecision, reason: string): Promise<void> {
    // Its address may be that of someone who has nothing to do with it.
    if (!tenant.verifiedAt) return;
    const { baseUrl } = this.config.service;
    for (const { email } of await this.users.holdAdministratorsToTell(tx, MAX_NOTIFIED_ADMINISTRATORS)) {
      await this.mails.queue(tx, tx.tenantId, suspensionMail(email, decision, tenant.name, reason, baseUrl));
    }
  }

  private async apply(
    tx: TenantTransaction,
    operator: Principal,
    { decision, reason, next }: { decision: TenantDecision; reason: string; next: Omit<TenantSuspension, 'tenantId'> },
  ): Promise<void> {
    const { state, action, cutoff } = OUTCOMES[decision];
    const { tenantId } = tx;
    const atMs = (next.reinstatedAt ?? next.suspendedAt).getTime();
    await this.suspensions.store(tx, next);
    // A reinstatement ends what a sign-in that was under way at the suspension has opened.
    const findings = await this.suspensions.endSignIns(tx);
    await this.revocations.record(tx, 'tenant', tenantId, atMs);
    await this.revocations.record(tx, cutoff, tenantId, atMs);
    this.trail.record(tx, { action, subject: { kind: 'workspace', id: tenantId }, detail: { reason } });
    await recordOperatorAct(tx, {
      operator: actingOperator(operator),
      act: `tenant.${decision}`,
      subject: { kind: 'tenant', id: tenantId, name: next.name },
      reason,
      findings: { ...findings },
      before: { state: state === 'active' ? 'suspended' : 'active' },
      after: { state },
    });
  }
}

/** Dated later than the decision before it, whatever the clocks of two processes say: the later one counts everywhere. */
function nextSuspension(
  { name }: Pick<Tenant, 'name'>,
  last: TenantSuspension | null,
  decision: TenantDecision,
  reason: string,
): Omit<TenantSuspension, 'tenantId'> {
  const lastMs = (last?.reinstatedAt ?? last?.suspendedAt)?.getTime() ?? 0;
  const at = new Date(Math.max(Date.now(), lastMs + 1));
  if (decision === 'suspend' || !last) return { name, reason, suspendedAt: at, reinstatedAt: null };
  return { name, reason: last.reason, suspendedAt: last.suspendedAt, reinstatedAt: at };
}

function standingOf(
  { id, name }: Pick<Tenant, 'id' | 'name'>,
  last: Pick<TenantSuspension, 'suspendedAt' | 'reason' | 'reinstatedAt'> | null,
): TenantStandingView {
  if (!last || last.reinstatedAt) return { id, name, state: 'active', suspendedAt: null, reason: null };
  return { id, name, state: 'suspended', suspendedAt: last.suspendedAt.toISOString(), reason: last.reason };
}

function reasonRequired(decision: TenantDecision): PlatformError {
  const detail = `Enter a reason to ${decision} a workspace`;
  return new PlatformError('VALIDATION_FAILED', detail, { errors: [{ pointer: '/reason', code: 'REQUIRED', detail }] });
}
