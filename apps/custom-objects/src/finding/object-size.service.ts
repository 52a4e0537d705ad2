import { Database, TENANT_OF_STATEMENT } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** So many records are looked at in some milliseconds, whatever the query. */
const SMALL = 10_000;
const KEPT_MS = 60_000;

/** $1: tenant, $2: object. Reads an index alone, as far as the limit. */
export const COUNT_UP_TO = `
  SELECT found.records
    FROM ${TENANT_OF_STATEMENT}
    LEFT JOIN LATERAL (SELECT count(*)::int AS records
                         FROM (SELECT 1 FROM custom_record
                                WHERE tenant_id = $1::uuid AND tenant.id IS NOT NULL AND object_id = $2 AND deleted_at IS NULL
                                LIMIT ${SMALL + 1}) AS live) AS found ON true`;

/** Whether an object has so few records that a walk over all of them is bounded; known for a minute. */
@Injectable()
export class ObjectSizes {
  private readonly sizes: LRUCache<string, number, string>;

  constructor(private readonly database: Database) {
    this.sizes = new LRUCache({
      max: 10_000,
      ttl: KEPT_MS,
      fetchMethod: async (key, _old, { context: tenantId }) => {
        const objectId = key.slice(tenantId.length + 1);
        const [row] = await this.database.read<{ records: number }>(tenantId, COUNT_UP_TO, [objectId]);
        return row?.records;
      },
    });
  }

  async isSmall(tenantId: string, objectId: string): Promise<boolean> {
    return ((await this.sizes.fetch(`${tenantId}/${objectId}`, { context: tenantId })) ?? 0) <= SMALL;
  }
}
