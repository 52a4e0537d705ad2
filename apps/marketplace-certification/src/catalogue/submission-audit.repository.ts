import { type NarrowTransaction, newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { SubmissionAudit } from './submission-audit.entity.js';

/** The audit trail of submissions. */
@Injectable()
export class SubmissionAuditRepository {
  async insert(
    tx: NarrowTransaction,
    entry: Omit<SubmissionAudit, 'id' | 'reason'> & { reason?: string },
  ): Promise<void> {
    await tx.repository(SubmissionAudit).insert({ id: newId(), ...entry });
  }
}
