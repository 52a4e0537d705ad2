import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FIND_KNOWN_DELIVERY } from './known-deliveries.sql.js';

/** Recognises events that come again. */
@Injectable()
export class KnownDeliveries {
  constructor(private readonly database: Database) {}

  /** Whether the ledger has any of these deliveries; those of an event are written together. */
  async has(tenantId: string, ids: readonly string[]): Promise<boolean> {
    const rows = await this.database.transaction(tenantId, (tx) =>
      tx.queryPrepared(FIND_KNOWN_DELIVERY, [tx.tenantId, ids]),
    );
    return rows.length > 0;
  }
}
