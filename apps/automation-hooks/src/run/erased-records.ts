import {
  Database,
  type DueErasure,
  type Erasure,
  ErasureSweeper,
  eraseDeadLetters,
  lowestIdSince,
  noteErased,
  type TenantTransaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';

/**
 * Runs that an event of the record has started, but for that of its erasure, and those of hook calls that have written it. By the
 * text of their JSON, as the platform writes it. $1: tenant, $2: lowest id, $3: text, $4: event.
 */
export const LIST_RUNS_OF_RECORD = `
  SELECT id FROM run
   WHERE tenant_id = $1 AND id >= $2 AND strpos(input::text, $3) > 0 AND event_id IS NOT NULL AND event_id <> $4
  UNION
  SELECT run.id FROM run_step JOIN run ON run.tenant_id = $1 AND run.id = run_step.run_id
   WHERE run_step.tenant_id = $1 AND run_step.run_id >= $2 AND strpos(run_step.output::text, $3) = 1 AND run.event_id IS NULL`;

/** They are not worked on any more: their workers lose the claim. $1: tenant, $2: runs. */
export const REMOVE_FROM_QUEUE = `
  DELETE FROM run_queue WHERE tenant_id = $1 AND run_id = ANY ($2::uuid[]) RETURNING run_id AS id`;

/** $1: tenant, $2: lowest id, $3: runs, $4: those of them that have not ended, $5: input, $6: time. */
export const REDUCE_RUNS = `
  UPDATE run
     SET input = $5, error_code = CASE WHEN id = ANY ($4::uuid[]) THEN 'RECORD_ERASED' ELSE error_code END,
         error_detail = CASE WHEN id = ANY ($4::uuid[]) OR error_detail IS NOT NULL THEN 'The record was erased' END,
         status = CASE WHEN id = ANY ($4::uuid[]) THEN 'cancelled' ELSE status END,
         finished_at = CASE WHEN id = ANY ($4::uuid[]) THEN $6 ELSE finished_at END
   WHERE tenant_id = $1 AND id >= $2 AND id = ANY ($3::uuid[])`;

/** Reduces steps of these runs, and of others what they got when they wrote the record. $1: tenant, $2: lowest id, $3: runs, $4: text, $5: output. */
export const REDUCE_STEPS = `
  UPDATE run_step SET output = CASE WHEN output IS NOT NULL THEN $5::json END,
         error_detail = CASE WHEN error_detail IS NOT NULL THEN 'The record was erased' END
   WHERE tenant_id = $1 AND run_id >= $2 AND (run_id = ANY ($3::uuid[]) OR strpos(output::text, $4) = 1)`;

/** $1: tenant, $2: text, $3: event. */
export const DISCARD_EVENTS = `
  DELETE FROM waiting_event WHERE tenant_id = $1 AND strpos(event::text, $2) > 0 AND event->>'subject' = $4 AND event_id <> $3`;

/** Seconds after which no process has an event of the record in hand. */
const AGAIN_SECONDS = 20;

/** Takes the content of erased records from runs and events that wait, at once, and what was under way then later. */
@Injectable()
export class ErasedRecords extends ErasureSweeper {
  constructor(database: Database) {
    super(database);
  }

  /** In the transaction of the event, which can come again. */
  async accept(tx: TenantTransaction, event: Erasure): Promise<void> {
    if (await noteErased(tx, event, AGAIN_SECONDS)) await reduce(tx, event);
  }

  protected async erase({ event }: DueErasure): Promise<null> {
    await this.database.transaction(event.tenantid.toLowerCase(), (tx) => reduce(tx, event));
    return null;
  }
}

async function reduce(tx: TenantTransaction, event: Erasure): Promise<void> {
  const { tenantId } = tx;
  const { id: eventId, subject: recordId } = event;
  const lowest = lowestIdSince(recordId);
  const text = `{"id":"${recordId}"`;
  const rest = JSON.stringify({ id: recordId, erased: true });
  const found = await tx.query<{ id: string }>(LIST_RUNS_OF_RECORD, [tenantId, lowest, text, eventId]);
  const ids = found.map(({ id }) => id);
  const queued = await tx.query<{ id: string }>(REMOVE_FROM_QUEUE, [tenantId, ids]);
  const unfinished = queued.map(({ id }) => id);
  await tx.query(REDUCE_RUNS, [
    tenantId,
    lowest,
    ids,
    unfinished,
    JSON.stringify({ record: { id: recordId }, erased: true }),
    new Date(),
  ]);
  await tx.query(REDUCE_STEPS, [tenantId, lowest, ids, text, rest]);
  await tx.query(DISCARD_EVENTS, [tenantId, `"subject":"${recordId}"`, eventId, recordId]);
  await eraseDeadLetters(tx, event);
}
