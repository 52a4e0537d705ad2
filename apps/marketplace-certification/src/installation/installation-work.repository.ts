import { Database, type NarrowTransaction, newId, type Room, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import {
  CLAIM_WORK,
  FINISH_WORK,
  POSTPONE_WORK,
  RELEASE_WORK,
  RENEW_LEASE,
  START_WORK,
} from './installation-work.sql.js';

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

  /** Adds the work and takes it, in the transaction that makes it necessary. */
  async start(tx: TenantTransaction, installationId: string): Promise<WorkLease> {
    const lease = { tenantId: tx.tenantId, installationId, token: newId() };
    await tx.query(START_WORK, [...leaseOf(lease), LEASE_SECONDS]);
    return lease;
  }

  /**
   * Takes due work that nobody holds.
   * @param room how much, and of which tenants none
   */
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

  /** Gives the work back, to be taken again after `delaySeconds`. */
  async postpone(tx: TenantTransaction, lease: WorkLease, delaySeconds: number): Promise<void> {
    await tx.query(POSTPONE_WORK, [...leaseOf(lease), delaySeconds]);
  }

  async finish(tx: TenantTransaction, lease: WorkLease): Promise<void> {
    await tx.query(FINISH_WORK, leaseOf(lease));
  }
}

/** The first parameters of the statements that need the lease. */
const leaseOf = ({ tenantId, installationId, token }: WorkLease): string[] => [tenantId, installationId, token];
