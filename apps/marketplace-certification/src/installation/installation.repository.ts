import {
  type Capacity,
  Database,
  measureDueWork,
  type NarrowTransaction,
  newId,
  secondsFromNow,
  type TenantTransaction,
} from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import {
  type Failure,
  InstallAudit,
  Installation,
  type InstallationState,
  InstallationStep,
  InstallCount,
  LIVE_STATES,
  type StepName,
} from './installation.entity.js';

/**
 * Adds an installation unless the app has a live one: `installation_live` allows one, whatever two administrators request
 * at the same moment. $1: tenant, $2: id, $3: key of the app, $4: id of the version, $5: version, $6: whether it is a
 * sandbox, $7: granted scopes, $8: user, $9: notices.
 */
const ADD_INSTALLATION = `
  INSERT INTO installation
    (tenant_id, id, app_key, version_id, version, sandbox, state, granted_scopes, created_by, acting_user_id, notices)
  VALUES ($1, $2, $3, $4, $5, $6, 'installing', $7, $8, $8, $9)
  ON CONFLICT (tenant_id, app_key)
    WHERE NOT sandbox AND state IN ('installing', 'active', 'compensating', 'uninstalling') DO NOTHING
  RETURNING id`;

/** $1: tenant, $2: states, $3: count at most so many; null for all. */
export const COUNT_INSTALLATIONS = `
  SELECT count(*)::int AS counted
    FROM (SELECT 1 FROM installation WHERE tenant_id = $1 AND state = ANY ($2::text[]) LIMIT $3) AS matching`;

export type NewInstallation = Pick<
  Installation,
  'id' | 'appKey' | 'versionId' | 'version' | 'sandbox' | 'grantedScopes' | 'createdBy' | 'notices'
>;

/** $1: key of the app, $2: 1 or -1. An app that was never installed has no row. */
const COUNT_INSTALL = `
  INSERT INTO install_count AS counted (app_key, installs) VALUES ($1, greatest($2::bigint, 0))
  ON CONFLICT (app_key) DO UPDATE SET installs = counted.installs + $2`;

/** By the few versions that have ended and an installation. $1: limit. */
const LIST_OF_ENDED_VERSIONS = `
  SELECT i.tenant_id AS "tenantId", i.id
    FROM app_version v JOIN installation i ON i.app_key = v.app_key AND i.version_id = v.id
   WHERE v.status IN ('withdrawn', 'rejected') AND i.state = 'active' AND i.sandbox LIMIT $1`;

export interface InstallationWithSteps {
  readonly installation: Installation;
  readonly steps: readonly InstallationStep[];
}

/** What the neighbours know an installation by when it is removed. */
export type RemovedInstallation = Pick<Installation, 'tenantId' | 'appKey' | 'sandbox'> & {
  readonly installationId: string;
};

export type StepResult = Partial<Pick<Installation, 'objects' | 'hooks' | 'subscriptions'>>;

/** A tenant can have 100 webhook subscriptions, unless the dispatcher is configured otherwise: more sandboxes have none. */
const MOST_SANDBOXES = 100;

/** The apps of a tenant, with the steps of their installation and the audit trail. */
@Injectable()
export class InstallationRepository {
  /** @returns whether it was stored: false when the app has a live installation already */
  async insert(tx: TenantTransaction, installation: NewInstallation): Promise<boolean> {
    const { id, appKey, versionId, version, sandbox, grantedScopes, createdBy, notices } = installation;
    const known = [tx.tenantId, id, appKey, versionId, version, sandbox, grantedScopes, createdBy];
    const row = [...known, JSON.stringify(notices)];
    const inserted = await tx.query(ADD_INSTALLATION, row);
    return inserted.length === 1;
  }

  async find(tx: TenantTransaction, id: string): Promise<Installation | null> {
    return tx.repository(Installation).findOneBy({ tenantId: tx.tenantId, id });
  }

  /** The live installation of an app; sandboxes do not count. */
  async findLive(tx: TenantTransaction, appKey: string): Promise<Installation | null> {
    const { tenantId } = tx;
    return tx.repository(Installation).findOneBy({ tenantId, appKey, sandbox: false, state: In(LIVE_STATES) });
  }

  async hasEver(tx: TenantTransaction, appKey: string): Promise<boolean> {
    return tx.repository(Installation).existsBy({ tenantId: tx.tenantId, appKey });
  }

  /** The versions of the live installations. */
  async listVersionIds(tx: TenantTransaction): Promise<string[]> {
    const where = { tenantId: tx.tenantId, state: In(LIVE_STATES) };
    const found = await tx.repository(Installation).find({ select: { versionId: true }, where });
    return [...new Set(found.map(({ versionId }) => versionId))];
  }

  /** Sandboxes of versions that will never be published, of all tenants. */
  async listOfEndedVersions(tx: NarrowTransaction, limit: number): Promise<{ tenantId: string; id: string }[]> {
    return tx.query(LIST_OF_ENDED_VERSIONS, [limit]);
  }

  /** The ids of an app's sandboxes that have all their parts, newest first; the oldest of very many are left out. */
  async listSandboxes(tx: TenantTransaction, appKey: string): Promise<string[]> {
    const sandboxes = await tx.repository(Installation).find({
      select: { id: true },
      where: { tenantId: tx.tenantId, appKey, sandbox: true, state: 'active' },
      order: { id: 'DESC' },
      take: MOST_SANDBOXES,
    });
    return sandboxes.map(({ id }) => id);
  }

  async list(
    tx: TenantTransaction,
    states: readonly InstallationState[],
    { after, limit, offset, countLimit }: ListPage,
  ): Promise<{ rows: Installation[]; counted: number }> {
    const { tenantId } = tx;
    const [rows, [count]] = await Promise.all([
      tx.repository(Installation).find({
        where: { tenantId, state: In(states), ...(after && { id: LessThan(after.id) }) },
        order: { id: 'DESC' },
        take: limit,
        skip: offset,
      }),
      tx.query<{ counted: number }>(COUNT_INSTALLATIONS, [tenantId, states, countLimit]),
    ]);
    return { rows, counted: count?.counted ?? 0 };
  }

  /** @returns whether the installation was in the expected state and is now in the other */
  async changeState(
    tx: TenantTransaction,
    id: string,
    from: InstallationState,
    to: InstallationState,
    changes: Partial<Pick<Installation, 'actingUserId'> & { failure: Failure }> = {},
  ): Promise<boolean> {
    const { affected } = await tx
      .repository(Installation)
      .update({ tenantId: tx.tenantId, id, state: from }, { ...changes, state: to, updatedAt: secondsFromNow(0) });
    return affected === 1;
  }

  async saveResult(tx: TenantTransaction, id: string, result: StepResult): Promise<void> {
    await tx
      .repository(Installation)
      .update({ tenantId: tx.tenantId, id }, { ...result, updatedAt: secondsFromNow(0) });
  }

  async insertSteps(tx: TenantTransaction, installationId: string, names: readonly StepName[]): Promise<void> {
    if (names.length === 0) return;
    await tx
      .repository(InstallationStep)
      .insert(names.map((name, index) => ({ installationId, position: index + 1, name })));
  }

  async findWithSteps(tx: TenantTransaction, id: string): Promise<InstallationWithSteps | null> {
    const [installation, steps] = await Promise.all([this.find(tx, id), this.listSteps(tx, [id])]);
    return installation && { installation, steps: steps.get(id) ?? [] };
  }

  /** The steps of installations in order, by the id of the installation. */
  async listSteps(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, InstallationStep[]>> {
    const { tenantId } = tx;
    const steps = await tx
      .repository(InstallationStep)
      .find({ where: { tenantId, installationId: In(ids) }, order: { position: 'ASC' } });
    const byInstallation = new Map<string, InstallationStep[]>(ids.map((id) => [id, []]));
    for (const step of steps) byInstallation.get(step.installationId)?.push(step);
    return byInstallation;
  }

  async updateStep(
    tx: TenantTransaction,
    { installationId, position }: Pick<InstallationStep, 'installationId' | 'position'>,
    changes: Partial<Pick<InstallationStep, 'state' | 'unsettled' | 'error'>>,
  ): Promise<void> {
    await tx
      .repository(InstallationStep)
      .update({ tenantId: tx.tenantId, installationId, position }, { ...changes, updatedAt: secondsFromNow(0) });
  }

  /** Adds an entry to the audit trail for each installation, in one statement. */
  async recordActs(
    tx: TenantTransaction,
    installationIds: readonly string[],
    entry: Pick<InstallAudit, 'userId' | 'action'>,
  ): Promise<void> {
    const entries = installationIds.map((installationId) => ({ id: newId(), installationId, ...entry }));
    await tx.repository(InstallAudit).insert(entries);
  }
}

/** Installations of each app over all tenants: a global table that the runtime role reaches. */
@Injectable()
export class InstallCountRepository {
  /** @param by 1 or -1, in the transaction of the change of state that it counts */
  async add(tx: TenantTransaction, appKey: string, by: 1 | -1): Promise<void> {
    await tx.query(COUNT_INSTALL, [appKey, by]);
  }

  /** @returns the counts by key; an app that was never installed has no entry */
  async list(tx: TenantTransaction, appKeys: readonly string[]): Promise<Map<string, number>> {
    const counts = await tx.repository(InstallCount).findBy({ appKey: In(appKeys) });
    return new Map(counts.map(({ appKey, installs }) => [appKey, installs]));
  }
}

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

  /** Takes due work that nobody holds. @param capacity how much, and of which tenants none */
  async claim(tx: NarrowTransaction, { slots, fullTenants }: Capacity): Promise<WorkLease[]> {
    return tx.query<WorkLease>(CLAIM_WORK, [LEASE_SECONDS, slots, fullTenants]);
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
