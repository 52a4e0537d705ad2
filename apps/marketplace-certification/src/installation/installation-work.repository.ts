import {
  Database,
  measureDueWork,
  type NarrowTransaction,
  newId,
  type Room,
  type TenantTransaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Adds work and takes it at once. $1: tenant, $2: installation, $3: token of the lease, $4: seconds that it lasts. */
const START_WORK = `
  INSERT INTO installation_work (tenant_id, installation_id, lease_token, lease_until)
  VALUES ($1, $2, $3, now() + make_interval(secs => $4))`;

/**
 * Takes due work that nobody holds. The choice is materialised: a plan that looks it up again for each row would take more
 * than the limit. $1: seconds that the lease lasts, $2: at most so many, $3: tenants whose work is left alone.
 */
export const CLAIM_WORK = `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, installation_id FROM installation_work
     WHERE due_at <= now() AND (lease_until IS NULL OR lease_until < now()) AND tenant_id <> ALL ($3::uuid[])
     ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE installation_work AS work
     SET lease_token = gen_random_uuid(), lease_until = now() + make_interval(secs => $1)
    FROM due
   WHERE work.tenant_id = due.tenant_id AND work.installation_id = due.installation_id
  RETURNING work.tenant_id AS "tenantId", work.installation_id AS "installationId", work.lease_token AS token`;

/** $1, $2, $3: tenants, installations and tokens of the leases, in threes. */
const RELEASE_WORK = `
  UPDATE installation_work AS work SET lease_token = NULL, lease_until = NULL
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS released (tenant_id, installation_id, token)
   WHERE work.tenant_id = released.tenant_id AND work.installation_id = released.installation_id
     AND work.lease_token = released.token`;

const LEASED = 'tenant_id = $1 AND installation_id = $2 AND lease_token = $3';

/** $1: tenant, $2: installation, $3: token of the lease, $4: seconds that it lasts from now on. */
const RENEW_LEASE = `
  UPDATE installation_work SET lease_until = now() + make_interval(secs => $4) WHERE ${LEASED} RETURNING attempts`;

/** $1: tenant, $2: installation, $3: token of the lease, $4: seconds until the work is due again. */
const POSTPONE_WORK = `
  UPDATE installation_work
     SET lease_token = NULL, lease_until = NULL, attempts = attempts + 1, due_at = now() + make_interval(secs => $4)
   WHERE ${LEASED}`;

const FINISH_WORK = `DELETE FROM installation_work WHERE ${LEASED}`;

/** Work that is due and that nobody holds. $1: tenants whose work waits for something else. */
export const MEASURE_DUE_WORK = measureDueWork(
  'installation_work',
  'due_at',
  '(lease_until IS NULL OR lease_until < now()) AND tenant_id <> ALL ($1::uuid[])',
);

/** The right to work on an installation until the lease runs out; every transaction of the work renews it. */
export interface WorkLease {
  readonly tenantId: string;
  readonly installationId: string;
  readonly token: string;
}

/**
 * Seconds without a sign of life after which another process takes the work over: well above the longest single call
 * (10 s, and 3 s for its token).
 */
const LEASE_SECONDS = 30;

/** Thrown inside the transactions of the work when another process holds the lease now. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/** What remains to be done for an installation: one row while it is being installed, undone or removed. */
@Injectable()
export class InstallationWorkRepository {
  constructor(private readonly database: Database) {}

  async start(tx: TenantTransaction, installationId: string): Promise<WorkLease> {
    const lease = { tenantId: tx.tenantId, installationId, token: newId() };
    await tx.query(START_WORK, [...leaseOf(lease), LEASE_SECONDS]);
    return lease;
  }

  /** Takes due work that nobody holds. @param room how much, and of which tenants none */
  async claim(tx: NarrowTransaction, { places, fullTenants }: Room): Promise<WorkLease[]> {
    return tx.query<WorkLease>(CLAIM_WORK, [LEASE_SECONDS, places, fullTenants]);
  }

  /** Gives back work that was claimed and not begun; it keeps its place in the line. */
  async release(tx: NarrowTransaction, leases: readonly WorkLease[]): Promise<void> {
    await tx.query(RELEASE_WORK, [
      leases.map(({ tenantId }) => tenantId),
      leases.map(({ installationId }) => installationId),
      leases.map(({ token }) => token),
    ]);
  }

  /**
   * Runs `work` in a transaction of the lease's tenant, after renewing the lease; the row is locked until it ends.
   * @param work gets how often the work was postponed
   * @throws LeaseLostError when another process took the work over
   */
  inLease<T>(lease: WorkLease, work: (tx: TenantTransaction, attempts: number) => Promise<T>): Promise<T> {
    return this.database.transaction(lease.tenantId, async (tx) => {
      const [row] = await tx.query<{ attempts: number }>(RENEW_LEASE, [...leaseOf(lease), LEASE_SECONDS]);
      if (!row) throw new LeaseLostError(`Another process works on installation ${lease.installationId}`);
      return work(tx, row.attempts);
    });
  }

  async postpone(tx: TenantTransaction, lease: WorkLease, delaySeconds: number): Promise<void> {
    await tx.query(POSTPONE_WORK, [...leaseOf(lease), delaySeconds]);
  }

  async finish(tx: TenantTransaction, lease: WorkLease): Promise<void> {
    await tx.query(FINISH_WORK, leaseOf(lease));
  }
}

/** The first parameters of the statements that need the lease. */
const leaseOf = ({ tenantId, installationId, token }: WorkLease): string[] => [tenantId, installationId, token];
