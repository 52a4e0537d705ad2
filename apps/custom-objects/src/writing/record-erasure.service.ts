import { hasScope, type Principal } from '@crm/access';
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
  type TenantTransaction,
} from '@crm/database';
import type { EvaluationContext } from '@crm/formula';
import { Rpc, StreamEraser, type StreamErasure } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { isVisibleTo, scopeOf } from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import { recordNotFound, type StoredRecord } from '../reading/record.js';
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

  /**
   * With what its deletions took along and what was merged into it: they say the same of a person.
   * @returns how many of the records the caller could read
   * @throws NOT_FOUND; CONFLICT as a deletion does
   */
  erase(caller: Principal, model: ObjectModel, id: string, clock: EvaluationContext): Promise<number> {
    const { object } = model;
    return this.models.transaction(caller, model, async (tx) => {
      const [live] = await this.records.lockForDeletion(tx, object.id, [id]);
      const [record = live] = live ? [live] : await this.bin.lock(tx, object.id, [id]);
      if (!record) throw recordNotFound();
      if (live) await this.removal.removeIn({ tx, caller, clock, erases: true }, model, id, null);
      const along = await this.lockAlong(tx, id);
      const [seen = [], unseen = []] = [true, false].map((isSeen) =>
        along.filter((one) => isReadable(one.model, caller) === isSeen),
      );
      await this.rpc.call(
        rpc.identity.recordAct,
        {
          action: 'record.erased',
          subjectId: id,
          detail: { object: object.apiName, ...namesOf('along', seen), ...namesOf('unseen', unseen) },
        },
        caller,
      );
      // What went along first: who sees the events never sees a reference to a record that is gone.
      for (const one of [...along.reverse(), { model, record }]) await this.eraseLocked(tx, caller, one);
      return 1 + seen.length;
    });
  }

  private async lockAlong(tx: TenantTransaction, id: string): Promise<Erased[]> {
    const along: Erased[] = [];
    for (const [objectId, ids] of await this.bin.listGoneInto(tx, id)) {
      const found = await this.models.findById(tx, objectId);
      if (!found) throw new Error(`Records of the object ${objectId}, which does not exist, were deleted with another`);
      const records = await this.bin.lock(tx, objectId, ids);
      along.push(...records.map((record) => ({ model: found.model, record })));
    }
    return along;
  }

  private async eraseLocked(tx: TenantTransaction, caller: Principal, { model, record }: Erased): Promise<void> {
    const row = recordErased({ model, caller }, record);
    const event = JSON.parse(row.envelope) as Erasure;
    const events = await eraseEvents(tx, event);
    await this.bin.tellCleared(tx, [record.id]);
    await this.erasures.erase(tx, model.object.id, record.id);
    const [domain, bucket] = [row.subject.split('.')[1], row.subject.split('.')[3]];
    const since = Math.min(...events.map((earlier) => millisecondsOfId(earlier.id)));
    const inStream: StreamErasure = { filter: `events.${domain}.*.${bucket}`, since, events };
    await noteErased(tx, event, 0, inStream);
    tx.appendToOutbox(row);
  }
}

/** A locked record that is erased. */
interface Erased {
  readonly model: ObjectModel;
  readonly record: StoredRecord;
}

const isReadable = ({ object }: ObjectModel, caller: Principal): boolean =>
  isVisibleTo(object, caller) && hasScope(caller, scopeOf(object.id), 'read');

const namesOf = (member: string, erased: readonly Erased[]) =>
  erased.length === 0 ? {} : { [member]: erased.map(({ model, record }) => `${model.object.apiName} ${record.id}`) };

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
