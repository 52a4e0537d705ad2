import {
  Database,
  type DueErasure,
  type Erasure,
  ErasureSweeper,
  eraseDeadLetters,
  lowestIdOf,
  lowestIdSince,
  millisecondsOfId,
  noteErased,
  type TenantTransaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ReceiverChanges } from '../subscriptions/receiver-changes.js';

/**
 * By the text of the bodies, as the platform writes them; there is no index by record, which each event would pay for. $1: tenant,
 * $2: lowest id, $3: text.
 */
export const LIST_BODIES_OF_RECORD = `
  SELECT id, body FROM event_body WHERE tenant_id = $1 AND id >= $2 AND strpos(body, $3) > 0 ORDER BY id`;

/** $1: tenant, $2: lowest id, $3: type, $4: events, $5: bodies. */
export const REDUCE_BODIES = `
  UPDATE event_body SET event = $3, body = reduced.body FROM unnest($4::uuid[], $5::text[]) AS reduced (id, body)
   WHERE event_body.tenant_id = $1 AND event_body.id >= $2 AND event_body.id = reduced.id`;

/** $1: tenant, $2: events, $3, $4: the ids that deliveries of each may have. */
export const LIST_DELIVERIES_OF_EVENTS = `
  SELECT delivery.id FROM unnest($2::uuid[], $3::uuid[], $4::uuid[]) AS erased (event_id, lowest, beyond)
    JOIN delivery ON delivery.id >= erased.lowest AND delivery.id < erased.beyond AND delivery.event_id = erased.event_id
   WHERE delivery.tenant_id = $1`;

/** What a receiver answers may repeat what it got. $1: tenant, $2: lowest id, $3: deliveries, $4: type. */
export const REDUCE_DELIVERIES = `
  UPDATE delivery SET response_excerpt = NULL, event = CASE WHEN status = 'delivered' THEN event ELSE $4::text END
   WHERE tenant_id = $1 AND id >= $2 AND id = ANY ($3::uuid[])`;

/** $1: tenant, $2: lowest id, $3: deliveries. */
export const REDUCE_ATTEMPTS = `
  UPDATE delivery_attempt SET response_excerpt = NULL
   WHERE tenant_id = $1 AND delivery_id >= $2 AND delivery_id = ANY ($3::uuid[])`;

/** Seconds after an erasure at which attempts that were under way have ended, and no process has its events in hand. */
const AGAIN_SECONDS = 20;
/** The same although a notice was lost. */
const LAST_SECONDS = 100;

/** Takes the content of erased records from the ledger, at once, and of what was under way later. */
@Injectable()
export class ErasedRecords extends ErasureSweeper {
  constructor(
    database: Database,
    private readonly changes: ReceiverChanges,
  ) {
    super(database);
  }

  /** When the event arrives; it can come again. */
  async accept(event: Erasure): Promise<void> {
    const tenantId = event.tenantid.toLowerCase();
    await this.database.transaction(tenantId, async (tx) => {
      if (await noteErased(tx, event, AGAIN_SECONDS)) await reduce(tx, event);
    });
    // Every process lets go of what it still has of the record.
    await this.changes.announce({ tenantId });
  }

  protected async erase({ event, erasedAt }: DueErasure): Promise<number | null> {
    await this.database.transaction(event.tenantid.toLowerCase(), (tx) => reduce(tx, event));
    const leftSeconds = LAST_SECONDS - (Date.now() - erasedAt.getTime()) / 1_000;
    return leftSeconds > 0 ? leftSeconds : null;
  }
}

/** What is left of a body: that the record was erased, under the id of the event. */
export const reducedBody = (
  body: string,
  { type, dataschema, subject: id }: Pick<Erasure, 'type' | 'dataschema' | 'subject'>,
): string => JSON.stringify({ ...JSON.parse(body), type, dataschema, data: { id, erased: true } });

async function reduce(tx: TenantTransaction, event: Erasure): Promise<void> {
  const { tenantId } = tx;
  const { subject: recordId, type } = event;
  const lowest = lowestIdSince(recordId);
  const found = await tx.query<{ id: string; body: string }>(LIST_BODIES_OF_RECORD, [
    tenantId,
    lowest,
    `{"id":"${recordId}"`,
  ]);
  const ids = found.map(({ id }) => id);
  const bodies = found.map(({ body }) => reducedBody(body, event));
  // The id of a delivery has the time of its event.
  const [from, beyond] = [0, 1].map((ms) => ids.map((id) => lowestIdOf(millisecondsOfId(id) + ms)));
  const made = await tx.query<{ id: string }>(LIST_DELIVERIES_OF_EVENTS, [tenantId, ids, from, beyond]);
  const deliveries = made.map(({ id }) => id);
  await tx.query(REDUCE_DELIVERIES, [tenantId, lowest, deliveries, type]);
  await tx.query(REDUCE_ATTEMPTS, [tenantId, lowest, deliveries]);
  await tx.query(REDUCE_BODIES, [tenantId, lowest, type, ids, bodies]);
  await eraseDeadLetters(tx, event);
}
