import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { ObjectModelStore } from '../object/object-model.store.js';
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
   * Deletes the texts of all records of an object, in the transaction that changes who may read its fields: from its commit
   * on nobody finds a record by a value that they may no longer read. Until `rewrite` has written the new texts, a search
   * does not find the records.
   */
  async forget(tx: TenantTransaction, objectId: string): Promise<void> {
    await this.searches.deleteAll(tx, objectId);
  }

  /**
   * Writes the texts of all records of an object by its present definition, batch by batch; other writes go on meanwhile.
   * Can be repeated, also after it has been interrupted.
   * @returns how many records there were
   * @throws NOT_FOUND when the tenant has no such object
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
