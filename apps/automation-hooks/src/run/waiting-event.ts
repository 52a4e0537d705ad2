import { CONSUMERS, type EventEnvelope, type EventName, eventSubject } from '@crm/contracts';
import { Database, isRefusedStatement, isTemporary, millisecondsOfId, Sweeper, storeDeadLetter } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RunService } from './run.service.js';
import { RunBacklog } from './run-backlog.js';
import { RunQueueRepository } from './run-queue.repository.js';

const SWEEP_MS = 500;
/** Events of a tenant that start their runs before those of the next tenant do. */
const IN_TURN = 50;

/**
 * Starts the runs of events that came while their tenant had too many queued, oldest first, as soon as it has free slots. The
 * consumer has acknowledged them, so that events of other tenants go on.
 */
@Injectable()
export class WaitingEventSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly queue: RunQueueRepository,
    private readonly runs: RunService,
    private readonly backlog: RunBacklog,
  ) {
    super({ everyMs: SWEEP_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    let tenants = await this.queue.tenantsOfEvents();
    while (tenants.length > 0 && !stopping.aborted) {
      const left: string[] = [];
      for (const tenantId of tenants) if (await this.startSome(tenantId, stopping)) left.push(tenantId);
      tenants = left;
    }
  }

  /** @returns whether the tenant may have more events that can start now */
  private async startSome(tenantId: string, stopping: AbortSignal): Promise<boolean> {
    let free = await this.backlog.freeSlotsOf(tenantId);
    for (let n = 0; n < IN_TURN; n += 1) {
      if (free <= 0 || stopping.aborted) return false;
      const started = await this.startNext(tenantId);
      if (started === null) return false;
      free -= started;
    }
    return true;
  }

  /** @returns how many runs it has started; null when no event waits */
  private async startNext(tenantId: string): Promise<number | null> {
    let taken: EventEnvelope | undefined;
    try {
      return await this.database.transaction(tenantId, async (tx) => {
        taken = await this.queue.takeEvent(tx);
        return taken ? this.runs.start(tx, taken) : null;
      });
    } catch (error) {
      if (!taken || !isRefusedStatement(error) || isTemporary(error)) throw error;
      // It is set aside, like an event that the consumer cannot handle, so that those behind it go on.
      const event = taken;
      this.logger.error({ msg: 'An event that waited cannot be handled', eventId: event.id, err: error });
      await this.database.transaction(tenantId, async (tx) => {
        if (await this.queue.removeEvent(tx, event.id)) await storeDeadLetter(tx, deadLetterOf(event, error));
      });
      return 0;
    }
  }
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
