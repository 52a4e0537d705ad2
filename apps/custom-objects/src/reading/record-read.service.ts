import { Batches, type Outcome } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { StoredRecord } from './record.js';
import { RecordRepository } from './record.repository.js';

interface Wanted {
  readonly tenantId: string;
  readonly objectId: string;
  readonly id: string;
}

/** A record as it is stored, null when there is none, and the definition's revision in the same snapshot. */
interface Read {
  readonly revision: number | null;
  readonly result: StoredRecord | null;
}

/** Reads single records. Concurrent reads of one object share a statement; access is decided afterwards, per caller. */
@Injectable()
export class RecordReadService {
  private readonly reads = new Batches<Wanted, Read>({
    together: (wanted) => this.readTogether(wanted),
  });

  constructor(private readonly records: RecordRepository) {}

  /** @returns revision null when there is no such object; result null when there is no such record */
  read(tenantId: string, objectId: string, id: string): Promise<Read> {
    return this.reads.run(`${tenantId}/${objectId}`, { tenantId, objectId, id });
  }

  private async readTogether(wanted: readonly Wanted[]): Promise<Outcome<Read>[]> {
    const { tenantId, objectId, id } = wanted[0] as Wanted;
    if (wanted.length === 1) return [{ result: await this.records.read(tenantId, objectId, id) }];
    const ids = [...new Set(wanted.map((one) => one.id))];
    const { revision, records } = await this.records.readMany(tenantId, objectId, ids);
    const found = new Map(records.map((record) => [record.id, record]));
    return wanted.map((one) => ({ result: { revision, result: found.get(one.id) ?? null } }));
  }
}
