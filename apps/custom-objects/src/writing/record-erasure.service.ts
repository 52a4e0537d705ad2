import type { Principal } from '@crm/access';
import { rpc } from '@crm/contracts';
import {
  Database,
  type DueErasure,
  type Erasure,
  ErasureSweeper,
  eraseEvents,
  isMarkedPublished,
  millisecondsOfId,
  noteErased,
} from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { Rpc, StreamEraser, type StreamErasure } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { ObjectModel } from '../object/object-model.js';
import { ObjectModelStore } from '../object/object-model.js';
import { noSuchRecord } from '../reading/record.js';
import { BinRepository } from './bin.repository.js';
import { ErasureRepository } from './erasure.repository.js';
import { recordErased } from './record-events.js';
import { RecordRemovalService } from './record-removal.service.js';
import { RecordWriteRepository } from './record-write.repository.js';

/** Erases records for good: what this database has of one at once, what the stream has by {@link StreamErasureSweeper}. */
@Injectable()
export class RecordErasureService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly records: RecordWriteRepository,
    private readonly bin: BinRepository,
    private readonly removal: RecordRemovalService,
    private readonly erasures: ErasureRepository,
    private readonly rpc: Rpc,
  ) {}

  /** @throws NOT_FOUND; CONFLICT as a deletion does */
  erase(caller: Principal, model: ObjectModel, id: string, clock: EvaluationContext): Promise<void> {
    const { object } = model;
    return this.models.transaction(caller, model, async (tx) => {
      const [live] = await this.records.lockForDeletion(tx, object.id, [id]);
      const [record = live] = live ? [live] : await this.bin.lock(tx, object.id, [id]);
      if (!record) throw noSuchRecord();
      const act = { action: 'record.erased', subjectId: id, detail: { object: object.apiName } } as const;
      await this.rpc.call(rpc.identity.recordAct, act, caller);
      if (live) await this.removal.removeIn({ tx, caller, clock, erases: id }, model, id, null);
      const row = recordErased({ model, caller }, record);
      const event = JSON.parse(row.envelope) as Erasure;
      const events = await eraseEvents(tx, event);
      await this.erasures.erase(tx, object.id, id);
      const [domain, bucket] = [row.subject.split('.')[1], row.subject.split('.')[3]];
      const since = Math.min(...events.map((earlier) => millisecondsOfId(earlier.id)));
      const inStream: StreamErasure = { filter: `events.${domain}.*.${bucket}`, since, events };
      await noteErased(tx, event, 0, inStream);
      tx.appendToOutbox(row);
    });
  }
}

/**
 * Removes the messages of erased records from the stream. Only once the event of the erasure is marked as published: the relay has
 * nothing of the record in hand any more, and takes no removed message for a lost one.
 */
@Injectable()
export class StreamErasureSweeper extends ErasureSweeper {
  constructor(
    database: Database,
    private readonly stream: StreamEraser,
  ) {
    super(database);
  }

  protected async erase({ event, detail }: DueErasure): Promise<number | null> {
    if (!(await isMarkedPublished(this.database, event.tenantid, event.id))) return 1;
    await this.stream.erase(detail as StreamErasure);
    return null;
  }
}
