import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { ObjectModelStore } from '../object/object-model.js';
import { valuesOf } from '../reading/record.js';
import { SearchRepository } from './search.repository.js';
import { searchTextsOf } from './search-text.js';

/** Records whose texts are written in one transaction. */
const BATCH = 500;
/** Before every UUIDv7. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** Keeps the texts of records in step with who may read which field. */
@Injectable()
export class SearchTextService {
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectRepository,
    private readonly models: ObjectModelStore,
    private readonly searches: SearchRepository,
  ) {}

  /**
   * Deletes the texts of an object's records in the transaction that changes read access, so that nobody finds a value
   * that they may no longer read. Searches miss the records until `rewrite` is done.
   */
  async forget(tx: TenantTransaction, objectId: string): Promise<void> {
    await this.searches.deleteAll(tx, objectId);
  }

  /**
   * Writes the texts of an object's records by its current definition, in batches. Repeatable after an interruption.
   * @returns the number of records
   * @throws NOT_FOUND
   */
  async rewrite(tenantId: string, objectId: string): Promise<number> {
    let count = 0;
    let after = NIL;
    for (;;) {
      const ids = await this.database.transaction(tenantId, (tx) => this.rewriteBatch(tx, objectId, after));
      count += ids.length;
      const last = ids.at(-1);
      if (last === undefined || ids.length < BATCH) return count;
      after = last;
    }
  }

  private async rewriteBatch(tx: TenantTransaction, objectId: string, after: string): Promise<string[]> {
    await this.objects.holdDefinitions(tx);
    const found = await this.models.findById(tx, objectId);
    if (!found) throw new PlatformError('NOT_FOUND', 'There is no such object');
    const records = await this.searches.lockNext(tx, objectId, after, BATCH);
    const ids = records.map(({ id }) => id);
    const textsOf = (data: Readonly<Record<string, unknown>>) =>
      searchTextsOf(found.model, valuesOf(found.model, data));
    // Also those of audiences that the definition no longer has.
    await this.searches.delete(tx, objectId, ids);
    const texts = records.map(({ id, data }) => ({ id, texts: textsOf(data) }));
    this.searches.insert(tx, objectId, texts);
    return ids;
  }
}
