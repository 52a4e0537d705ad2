import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** $1: tenant, $2: object, $3: loser, $4: winner. */
export const MOVE_NOTES = `
  UPDATE record_note SET record_id = $4 WHERE tenant_id = $1 AND object_id = $2 AND record_id = $3`;

/** Moves what belongs to a record without being a reference. */
@Injectable()
export class MergeRepository {
  async moveNotes(tx: TenantTransaction, objectId: string, loserId: string, winnerId: string): Promise<void> {
    await tx.queryPrepared(MOVE_NOTES, [tx.tenantId, objectId, loserId, winnerId]);
  }
}
