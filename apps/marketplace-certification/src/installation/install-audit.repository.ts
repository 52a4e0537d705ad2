import { newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { InstallAudit } from './install-audit.entity.js';

/** The audit trail of installations. */
@Injectable()
export class InstallAuditRepository {
  /** Adds an entry for each installation, in one statement. */
  async insert(
    tx: TenantTransaction,
    installationIds: readonly string[],
    entry: Pick<InstallAudit, 'userId' | 'action'>,
  ): Promise<void> {
    const entries = installationIds.map((installationId) => ({ id: newId(), installationId, ...entry }));
    await tx.repository(InstallAudit).insert(entries);
  }
}
