import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RecordListRepository } from './record-list.repository.js';

/** A walk along an index over so many records takes some milliseconds. */
const SMALL = 10_000;
const KEPT_OBJECTS = 10_000;
const KEPT_MS = 60_000;

/** Remembers for a minute whether an object has so few records that a walk over all of them is bounded. */
@Injectable()
export class ObjectSizes {
  private readonly small: LRUCache<string, boolean, { tenantId: string; objectId: string }>;

  constructor(records: RecordListRepository) {
    this.small = new LRUCache({
      max: KEPT_OBJECTS,
      ttl: KEPT_MS,
      fetchMethod: async (_key, _old, { context: { tenantId, objectId } }) =>
        (await records.count(tenantId, objectId, SMALL + 1)) <= SMALL,
    });
  }

  async isSmall(tenantId: string, objectId: string): Promise<boolean> {
    return (await this.small.fetch(`${tenantId}/${objectId}`, { context: { tenantId, objectId } })) === true;
  }
}
