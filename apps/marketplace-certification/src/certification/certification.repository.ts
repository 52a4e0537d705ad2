import type { TenantTransaction } from '@crm/database';
import { newId } from '@crm/database';
import type { Certification } from '@crm/manifest';
import { Injectable } from '@nestjs/common';

export interface CertificationRun {
  /** Of the package, where they are legal. */
  readonly appKey: string | null;
  readonly version: string | null;
  readonly mode: 'certification' | 'submission';
  readonly result: Certification;
  readonly createdBy: string;
}

/** Every run of the suite, kept with the workspace that asked for it. */
@Injectable()
export class CertificationRepository {
  async insert(tx: TenantTransaction, run: CertificationRun): Promise<void> {
    await tx.query(
      `insert into certification (tenant_id, id, app_key, version, mode, manifest_sha256, passed, result, created_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        tx.tenantId,
        newId(),
        run.appKey,
        run.version,
        run.mode,
        run.result.manifestSha256,
        run.result.passed,
        JSON.stringify(run.result),
        run.createdBy,
      ],
    );
  }
}
