import type { Database, NarrowTransaction, TenantTransaction } from '@crm/database';
import { newId } from '@crm/database';
import type { Room } from '@crm/worker';
import { Injectable } from '@nestjs/common';

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

/** Thrown inside the work's transactions when another process holds the lease now. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/** What still has to be done for an installation: one row while it is being installed, undone or removed. */
@Injectable()
export class WorkRepository {
  /** Puts the work down and takes it, in the transaction that makes it necessary. */
  async start(tx: TenantTransaction, installationId: string): Promise<WorkLease> {
    const token = newId();
    await tx.query(
      `insert into installation_work (tenant_id, installation_id, lease_token, lease_until)
       values ($1, $2, $3, now() + make_interval(secs => $4))`,
      [tx.tenantId, installationId, token, LEASE_SECONDS],
    );
    return { tenantId: tx.tenantId, installationId, token };
  }

  /**
   * Takes work that is due and that nobody is at.
   * @param room how much, and of which tenants none
   */
  async claim(tx: NarrowTransaction, { places, fullTenants }: Room): Promise<WorkLease[]> {
    return tx.query<WorkLease>(
      // Materialised: a plan that looks the choice up again for each row would take more than the limit.
      `with due as materialized (
         select tenant_id, installation_id from installation_work
         where due_at <= now() and (lease_until is null or lease_until < now()) and tenant_id <> all ($3::uuid[])
         order by due_at limit $2 for update skip locked
       )
       update installation_work as work
         set lease_token = gen_random_uuid(), lease_until = now() + make_interval(secs => $1)
       from due
       where work.tenant_id = due.tenant_id and work.installation_id = due.installation_id
       returning work.tenant_id as "tenantId", work.installation_id as "installationId", work.lease_token as token`,
      [LEASE_SECONDS, places, fullTenants],
    );
  }

  /** Gives back work that was claimed and not begun; it keeps its place in the line. */
  async release(tx: NarrowTransaction, leases: readonly WorkLease[]): Promise<void> {
    await tx.query(
      `update installation_work as work set lease_token = null, lease_until = null
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as released (tenant_id, installation_id, token)
       where work.tenant_id = released.tenant_id and work.installation_id = released.installation_id
         and work.lease_token = released.token`,
      [
        leases.map(({ tenantId }) => tenantId),
        leases.map(({ installationId }) => installationId),
        leases.map(({ token }) => token),
      ],
    );
  }

  /**
   * Renews the lease and locks the row until the transaction ends.
   * @returns how often the work was put off
   * @throws LeaseLostError when another process took it over
   */
  async renew(tx: TenantTransaction, lease: WorkLease): Promise<number> {
    const [row] = await tx.query<{ attempts: number }>(
      `update installation_work set lease_until = now() + make_interval(secs => $4)
       where tenant_id = $1 and installation_id = $2 and lease_token = $3 returning attempts`,
      [tx.tenantId, lease.installationId, lease.token, LEASE_SECONDS],
    );
    if (!row) throw new LeaseLostError(`Another process works on installation ${lease.installationId}`);
    return row.attempts;
  }

  /** Gives the work back, to be taken again after `delaySeconds`. */
  async putOff(tx: TenantTransaction, lease: WorkLease, delaySeconds: number): Promise<void> {
    await tx.query(
      `update installation_work set lease_token = null, lease_until = null, attempts = attempts + 1,
         due_at = now() + make_interval(secs => $4)
       where tenant_id = $1 and installation_id = $2 and lease_token = $3`,
      [tx.tenantId, lease.installationId, lease.token, delaySeconds],
    );
  }

  async finish(tx: TenantTransaction, lease: WorkLease): Promise<void> {
    await tx.query('delete from installation_work where tenant_id = $1 and installation_id = $2 and lease_token = $3', [
      tx.tenantId,
      lease.installationId,
      lease.token,
    ]);
  }
}

/** Runs `work` in a transaction of the lease's tenant, after renewing the lease. */
export function leasedTransaction<T>(
  database: Database,
  repository: WorkRepository,
  lease: WorkLease,
  work: (tx: TenantTransaction, attempts: number) => Promise<T>,
): Promise<T> {
  return database.transaction(lease.tenantId, async (tx) => work(tx, await repository.renew(tx, lease)));
}
