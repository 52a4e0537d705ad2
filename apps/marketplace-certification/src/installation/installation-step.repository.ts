import { secondsFromNow, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { StepName } from './installation-state.js';
import { InstallationStep } from './installation-step.entity.js';

/** The steps of installations. */
@Injectable()
export class InstallationStepRepository {
  /** Adds the steps of an installation, in order. */
  async insert(tx: TenantTransaction, installationId: string, names: readonly StepName[]): Promise<void> {
    if (names.length === 0) return;
    await tx
      .repository(InstallationStep)
      .insert(names.map((name, index) => ({ installationId, position: index + 1, name })));
  }

  async list(tx: TenantTransaction, installationId: string): Promise<InstallationStep[]> {
    const { tenantId } = tx;
    return tx.repository(InstallationStep).find({ where: { tenantId, installationId }, order: { position: 'ASC' } });
  }

  /** The steps of several installations, by the id of the installation. */
  async listByInstallation(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, InstallationStep[]>> {
    const { tenantId } = tx;
    const steps = await tx
      .repository(InstallationStep)
      .find({ where: { tenantId, installationId: In(ids) }, order: { position: 'ASC' } });
    const byInstallation = new Map<string, InstallationStep[]>(ids.map((id) => [id, []]));
    for (const step of steps) byInstallation.get(step.installationId)?.push(step);
    return byInstallation;
  }

  /** Changes a step; what is left out stays. */
  async update(
    tx: TenantTransaction,
    { installationId, position }: Pick<InstallationStep, 'installationId' | 'position'>,
    changes: Partial<Pick<InstallationStep, 'state' | 'unsettled' | 'error'>>,
  ): Promise<void> {
    await tx
      .repository(InstallationStep)
      .update({ tenantId: tx.tenantId, installationId, position }, { ...changes, updatedAt: secondsFromNow(0) });
  }
}
