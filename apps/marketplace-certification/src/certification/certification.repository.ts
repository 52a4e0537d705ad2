import { newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { CertificationRun } from './certification.entity.js';

@Injectable()
export class CertificationRepository {
  async insert(
    tx: TenantTransaction,
    run: Pick<CertificationRun, 'appKey' | 'version' | 'mode' | 'result' | 'createdBy'>,
  ): Promise<void> {
    const { manifestSha256, passed } = run.result;
    await tx.repository(CertificationRun).insert({ id: newId(), ...run, manifestSha256, passed });
  }
}
