import { secondsFromNow, type TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import { Installation } from './installation.entity.js';
import { ADD_INSTALLATION, COUNT_INSTALLATIONS } from './installation.sql.js';
import { type Failure, type InstallationState, LIVE_STATES } from './installation-state.js';

export type NewInstallation = Pick<
  Installation,
  'id' | 'appKey' | 'versionId' | 'version' | 'sandbox' | 'grantedScopes' | 'createdBy'
>;

/** What a finished step brought, by the column that holds it. */
export type StepResult = Partial<Pick<Installation, 'objects' | 'hooks' | 'subscriptions'>>;

/** A tenant can have 100 webhook subscriptions, unless the dispatcher is configured otherwise: more sandboxes have none. */
const MOST_SANDBOXES = 100;

/** The apps of a tenant. */
@Injectable()
export class InstallationRepository {
  /** @returns whether it was stored: false when the app has a live installation already */
  async insert(tx: TenantTransaction, installation: NewInstallation): Promise<boolean> {
    const { id, appKey, versionId, version, sandbox, grantedScopes, createdBy } = installation;
    const inserted = await tx.query(ADD_INSTALLATION, [
      tx.tenantId,
      id,
      appKey,
      versionId,
      version,
      sandbox,
      grantedScopes,
      createdBy,
    ]);
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

  /** Whether there is or was an installation of an app, in whatever state. */
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

  /** Newest first. */
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

  /** Stores what a step brought. */
  async saveResult(tx: TenantTransaction, id: string, result: StepResult): Promise<void> {
    await tx
      .repository(Installation)
      .update({ tenantId: tx.tenantId, id }, { ...result, updatedAt: secondsFromNow(0) });
  }
}
