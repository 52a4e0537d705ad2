import { newId, secondsFromNow, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import { InstallAudit, Installation, InstallationStep, InstallCount } from './installation.entity.js';
import { type Failure, type InstallationState, LIVE_STATES, type StepName } from './installation-state.js';

/**
 * Adds an installation unless the app has a live one: `installation_live` allows one, whatever two administrators request
 * at the same moment. $1: tenant, $2: id, $3: key of the app, $4: id of the version, $5: version, $6: whether it is a
 * sandbox, $7: granted scopes, $8: user.
 */
const ADD_INSTALLATION = `
  INSERT INTO installation
    (tenant_id, id, app_key, version_id, version, sandbox, state, granted_scopes, created_by, acting_user_id)
  VALUES ($1, $2, $3, $4, $5, $6, 'installing', $7, $8, $8)
  ON CONFLICT (tenant_id, app_key)
    WHERE NOT sandbox AND state IN ('installing', 'active', 'compensating', 'uninstalling') DO NOTHING
  RETURNING id`;

/** $1: tenant, $2: states, $3: count at most so many; null for all. */
export const COUNT_INSTALLATIONS = `
  SELECT count(*)::int AS counted
    FROM (SELECT 1 FROM installation WHERE tenant_id = $1 AND state = ANY ($2::text[]) LIMIT $3) AS matching`;

export type NewInstallation = Pick<
  Installation,
  'id' | 'appKey' | 'versionId' | 'version' | 'sandbox' | 'grantedScopes' | 'createdBy'
>;

/** $1: key of the app, $2: 1 or -1. An app that was never installed has no row. */
const COUNT_INSTALL = `
  INSERT INTO install_count AS counted (app_key, installs) VALUES ($1, greatest($2::bigint, 0))
  ON CONFLICT (app_key) DO UPDATE SET installs = counted.installs + $2`;

export interface InstallationWithSteps {
  readonly installation: Installation;
  readonly steps: readonly InstallationStep[];
}

/** What the neighbours know an installation by when it is removed. */
export type RemovedInstallation = Pick<Installation, 'tenantId' | 'appKey'> & { readonly installationId: string };

export type StepResult = Partial<Pick<Installation, 'objects' | 'hooks' | 'subscriptions'>>;

/** A tenant can have 100 webhook subscriptions, unless the dispatcher is configured otherwise: more sandboxes have none. */
const MOST_SANDBOXES = 100;

/** The apps of a tenant, with the steps of their installation and the audit trail. */
@Injectable()
export class InstallationRepository {
  /** @returns whether it was stored: false when the app has a live installation already */
  async insert(tx: TenantTransaction, installation: NewInstallation): Promise<boolean> {
    const { id, appKey, versionId, version, sandbox, grantedScopes, createdBy } = installation;
    const row = [tx.tenantId, id, appKey, versionId, version, sandbox, grantedScopes, createdBy];
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
