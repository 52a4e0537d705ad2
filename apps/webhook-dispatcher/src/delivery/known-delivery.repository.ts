import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** $1: the tenant, $2: ids of deliveries. */
export const FIND_KNOWN_DELIVERY = `
  SELECT 1 AS known FROM delivery WHERE tenant_id = $1 AND id = ANY ($2::uuid[]) LIMIT 1`;

/** Recognises events that come again. */
@Injectable()
export class KnownDeliveryRepository {
  constructor(private readonly database: Database) {}

  /** Whether the ledger has any of these deliveries; those of an event are written together. */
  async has(tenantId: string, ids: readonly string[]): Promise<boolean> {
    const rows = await this.database.transaction(tenantId, (tx) =>
      tx.queryPrepared(FIND_KNOWN_DELIVERY, [tx.tenantId, ids]),
    );
    return rows.length > 0;
  }
}
