import { type ErrorCode, PlatformError } from '@crm/contracts';
import { Database, type QuotaRule, type TransactionOrigin } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { counter } from '@crm/telemetry';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { AuditTrail, type NewAuditEntry, SYSTEM } from './audit-trail.service.js';

export const refusedActs = counter(
  'audit_refused_acts_total',
  'Refused acts, such as failed sign-ins, by whether the audit trail has them: recorded, repeated too often to be recorded, or lost',
  ['outcome'],
);

/** Entries of one action about one subject in an hour: enough to see an attack, too few to bury the trail under it. */
export const REFUSALS_PER_HOUR = 30;
/** Repetitions within the hour say nothing new. */
const ONCE_PER_HOUR = 1;

/** Entries that are being written. */
const MOST = 200;

/**
 * Records acts that were refused. No transaction of theirs commits, so each entry has one of its own, after the answer:
 * otherwise its time would tell a known account from an unknown one. It is bounded, and what has no place is counted and
 * left out, never refused.
 */
@Injectable()
export class RefusedActs implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RefusedActs.name);
  private readonly underWay = new Set<Promise<void>>();
  private readonly often: Limiter;
  private readonly once: Limiter;

  constructor(
    private readonly database: Database,
    private readonly trail: AuditTrail,
    limits: LimiterStore,
  ) {
    const limiter = (name: string, points: number) => new Limiter(limits, { name, points, windowSeconds: 3600 });
    this.often = limiter('audit-refusals', REFUSALS_PER_HOUR);
    this.once = limiter('audit-refusals-once', ONCE_PER_HOUR);
  }

  /** @param repeats `once`: repetitions of the hour are left out */
  note(origin: TransactionOrigin, entry: NewAuditEntry, repeats: 'often' | 'once' = 'often'): void {
    if (this.underWay.size >= MOST) {
      refusedActs.inc({ outcome: 'lost' });
      return;
    }
    const done = this.write(origin, entry, this[repeats]);
    this.underWay.add(done);
    void done.then(() => this.underWay.delete(done));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private async write(origin: TransactionOrigin, entry: NewAuditEntry, limit: Limiter): Promise<void> {
    // Not a step of the work before the answer.
    await new Promise<void>((resolve) => setImmediate(resolve));
    try {
      const isAdmitted = await limit.admits(`${origin.tenantId}|${entry.action}|${entry.subject?.id ?? ''}`);
      if (isAdmitted) await this.database.transaction(origin, async (tx) => this.trail.record(tx, entry));
      refusedActs.inc({ outcome: isAdmitted ? 'recorded' : 'repeated' });
    } catch (error) {
      refusedActs.inc({ outcome: 'lost' });
      this.logger.error({ msg: 'A refused act is missing in the audit trail', action: entry.action, err: error });
    }
  }
}

/** Notes work that is refused in the audit trail. @param entries by the error codes that are noted */
export async function noting<T>(
  refusals: RefusedActs,
  origin: TransactionOrigin,
  entries: Partial<Record<ErrorCode, NewAuditEntry>>,
  work: () => Promise<T>,
  repeats?: 'often' | 'once',
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const entry = error instanceof PlatformError ? entries[error.code] : undefined;
    if (entry) refusals.note(origin, entry, repeats);
    throw error;
  }
}

export const failedProof = (userId: string): NewAuditEntry => ({
  action: 'proof.failed',
  outcome: 'failure',
  subject: { kind: 'user', id: userId },
});

/** Notes that a proof within a session was wrong: someone may have the token and not the password. */
export const notingFailedProof = <T>(
  refusals: RefusedActs,
  origin: TransactionOrigin,
  userId: string,
  prove: () => Promise<T>,
): Promise<T> => noting(refusals, origin, { INVALID_CREDENTIALS: failedProof(userId) }, prove);

/** A refused sign-in to a known account; nobody is named as the actor. @param reason what was wrong, account status, or rule */
export const failedSignIn = (id: string, reason: string, kind: 'users' | 'operators' = 'users'): NewAuditEntry => ({
  action: 'sign_in.failed',
  outcome: 'failure',
  actor: SYSTEM,
  subject: { kind: 'user', id },
  detail: { reason, ...(kind === 'operators' && { account: 'operator' }) },
});

/** The entry of a sign-in that is refused although its proof was right. @param proof the reason where the account does not admit it */
export const refusedSignIn = (id: string, proof: string): Partial<Record<ErrorCode, NewAuditEntry>> => ({
  INVALID_CREDENTIALS: failedSignIn(id, proof),
  SINGLE_SIGN_ON_REQUIRED: failedSignIn(id, 'single_sign_on_required'),
});

/** Notes in the audit trail that a quota refused the work, once per hour. @param work is refused by no other limit */
export async function notingRefusal<T>(
  refusals: RefusedActs,
  origin: TransactionOrigin,
  { name, limit }: QuotaRule,
  work: () => Promise<T>,
): Promise<T> {
  const entry = { action: 'quota.exhausted', outcome: 'failure', subject: { kind: 'quota', id: name } } as const;
  return noting(refusals, origin, { RATE_LIMITED: { ...entry, detail: { limit } } }, work, 'once');
}
