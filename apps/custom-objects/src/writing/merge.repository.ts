import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** What follows the winner of a merge besides references, a statement for each table. $1: tenant, $2: object, $3: loser, $4: winner. */
const MOVE: readonly string[] = [];

/** Moves what belongs to a record without being a reference. */
@Injectable()
export class MergeRepository {
  async move(tx: TenantTransaction, objectId: string, loserId: string, winnerId: string): Promise<void> {
    for (const statement of MOVE) await tx.queryPrepared(statement, [tx.tenantId, objectId, loserId, winnerId]);
  }
}
