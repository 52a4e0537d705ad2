import { CONSUMERS, type EventEnvelope, type EventName, eventSubject } from '@crm/contracts';
import {
  Database,
  isRefusedStatement,
  isTemporary,
  millisecondsOfId,
  Sweeper,
  storeDeadLetter,
  type TenantTransaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RunService } from './run.service.js';
import { RunBacklog } from './run-backlog.js';

/** The oldest that no other process is taking. $1: tenant. */
export const TAKE_EVENT = `
  DELETE FROM waiting_event
   WHERE tenant_id = $1 AND event_id = (
     SELECT event_id FROM waiting_event WHERE tenant_id = $1 ORDER BY event_id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING event`;

/** The one that cannot be handled, unless another process has taken it. $1: tenant, $2: event. */
export const REMOVE_EVENT = `
  DELETE FROM waiting_event WHERE tenant_id = $1 AND event_id = $2 RETURNING event_id`;

/** Tenants whose events wait, 1,000 at most. */
export const LIST_TENANTS_OF_EVENTS = `
  WITH RECURSIVE hop AS (
    (SELECT tenant_id FROM waiting_event ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant_id FROM waiting_event WHERE tenant_id > hop.tenant_id ORDER BY tenant_id LIMIT 1)
      FROM hop WHERE hop.tenant_id IS NOT NULL)
  SELECT tenant_id AS "tenantId" FROM hop WHERE tenant_id IS NOT NULL LIMIT 1000`;

const SWEEP_MS = 500;
/** Events of a tenant that start their runs before those of the next tenant do. */
const IN_TURN = 50;

/**
 * Starts the runs of events that came while their tenant had too many queued, oldest first, as soon as it has room. The
 * consumer has acknowledged them, so that events of other tenants go on.
 */
@Injectable()
export class WaitingEventSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly runs: RunService,
    private readonly backlog: RunBacklog,
  ) {
    super({ everyMs: SWEEP_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    let tenants = await this.database.crossTenantStatement<{ tenantId: string }>(LIST_TENANTS_OF_EVENTS, []);
    while (tenants.length > 0 && !stopping.aborted) {
      const left: typeof tenants = [];
      for (const tenant of tenants) if (await this.startSome(tenant.tenantId, stopping)) left.push(tenant);
      tenants = left;
    }
  }

  /** @returns whether the tenant may have more events that can start now */
  private async startSome(tenantId: string, stopping: AbortSignal): Promise<boolean> {
    let room = await this.backlog.roomOf(tenantId);
    for (let n = 0; n < IN_TURN; n += 1) {
      if (room <= 0 || stopping.aborted) return false;
      const started = await this.startNext(tenantId);
      if (started === null) return false;
      room -= started;
    }
    return true;
  }

  /** @returns how many runs it has started; null when no event waits */
  private async startNext(tenantId: string): Promise<number | null> {
    let taken: EventEnvelope | undefined;
    try {
      return await this.database.transaction(tenantId, async (tx) => {
        taken = await take(tx);
        return taken ? this.runs.start(tx, taken) : null;
      });
    } catch (error) {
      if (!taken || !isRefusedStatement(error) || isTemporary(error)) throw error;
      // As the consumer does with an event that it cannot handle, so that those behind it go on.
      const event = taken;
      this.logger.error({ msg: 'An event that waited cannot be handled', eventId: event.id, err: error });
      await this.database.transaction(tenantId, async (tx) => {
        const removed = await tx.query(REMOVE_EVENT, [tenantId, event.id]);
        if (removed.length > 0) await storeDeadLetter(tx, deadLetterOf(event, error));
      });
      return 0;
    }
  }
}

async function take(tx: TenantTransaction): Promise<EventEnvelope | undefined> {
  const [row] = await tx.query<{ event: EventEnvelope }>(TAKE_EVENT, [tx.tenantId]);
  return row?.event;
}

const deadLetterOf = (event: EventEnvelope, error: unknown) => ({
  consumer: CONSUMERS['automation-hooks'].durable,
  messageKey: event.id,
  sentAt: millisecondsOfId(event.id),
  eventId: event.id,
  subject: eventSubject(event.type as EventName, event.tenantid),
  payload: Buffer.from(JSON.stringify(event)),
  error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  deliveries: 1,
});
