import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** So many are counted with the page, in its snapshot: more would cost over a tenth of the page. */
const MAX_COUNTED_WITH_PAGE = 500;
/** Milliseconds for which a larger total is kept: a change in another process is counted after so long at most. */
const KEPT_MS = 1_000;
const KEPT_OBJECTS = 10_000;

/** An object of a tenant. */
export interface CountedObject {
  readonly tenantId: string;
  readonly objectId: string;
}

/** The default totals of lists: few records are counted with each page, many once for all pages of some time. */
@Injectable()
export class ListTotals {
  /** By object, and by what decides which records a list has; null where a change has ended one, which was large. */
  private readonly kept = new LRUCache<string, Map<string, Promise<number> | null>>({
    max: KEPT_OBJECTS,
    ttl: KEPT_MS,
  });

  /**
   * Reads a page of a list with its total.
   * @param filter decides, as JSON, which records the list has
   * @param read counts as many as the page says, also for a page of no records
   */
  async read<Found extends { counted: number; records: readonly unknown[] }>(
    object: CountedObject,
    filter: unknown,
    page: ListPage,
    read: (page: ListPage) => Promise<Found>,
  ): Promise<Found> {
    if (!page.counts || page.countLimit === null) return read(page);
    const key = JSON.stringify(filter);
    const count = () =>
      this.keep(object, key, async () => (await read({ ...page, after: undefined, offset: 0, limit: 0 })).counted);
    const isLarge = this.kept.get(keyOf(object))?.has(key);
    const [found, known] = await Promise.all([
      read(isLarge ? { ...page, counts: false } : { ...page, countLimit: MAX_COUNTED_WITH_PAGE + 1 }),
      isLarge ? count() : undefined,
    ]);
    if (known === undefined && found.counted <= MAX_COUNTED_WITH_PAGE) return found;
    const counted = known ?? (await count());
    // A record may be newer than the total.
    const seen = found.records.length > 0 ? page.offset + found.records.length : 0;
    return { ...found, counted: Math.max(counted, seen) };
  }

  /** To be called when records of the object have changed. */
  forget(object: CountedObject): void {
    const totals = this.kept.get(keyOf(object));
    for (const key of totals?.keys() ?? []) totals?.set(key, null);
  }

  /** Counts once for all who ask meanwhile; what was counted before a change is not kept beyond it. */
  private keep(object: CountedObject, key: string, count: () => Promise<number>): Promise<number> {
    let totals = this.kept.get(keyOf(object));
    if (!totals) {
      totals = new Map();
      this.kept.set(keyOf(object), totals);
    }
    let total = totals.get(key);
    if (!total) {
      total = count();
      totals.set(key, total);
      total.catch(() => totals.get(key) === total && totals.delete(key));
    }
    return total;
  }
}

const keyOf = ({ tenantId, objectId }: CountedObject): string => `${tenantId}/${objectId}`;
