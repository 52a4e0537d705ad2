import { continueTrace } from '@crm/access';
import type { EventEnvelope, EventName } from '@crm/contracts';
import {
  type Database,
  lockDeadLetter,
  markReplayed,
  recordInbox,
  type TenantTransaction,
  type TransactionOrigin,
} from '@crm/database';
import { readEvent } from './received-event.js';

/** Handles an event in the transaction of its tenant. */
export type EventMethod = (event: EventEnvelope, tx: TenantTransaction) => Promise<void>;

/** How an event came. */
export interface Receipt {
  /** How often the broker has delivered the message; 0 for a dead letter that is replayed. */
  readonly deliveryCount: number;
  /** The message's place in the stream; null for a dead letter that is replayed. */
  readonly streamSequence: number | null;
}

/** Handles an event that may have been handled before, and resolves when its effect is committed. */
export type IdempotentMethod = (event: EventEnvelope, receipt: Receipt) => Promise<void>;

/** What a consumer does with an event that it has read. */
export interface EventHandling {
  /** Whether the events of a record are handled in the order of arrival. */
  readonly isOrdered: boolean;
  /** Whether there is a handler for the event. */
  wants(event: EventEnvelope): boolean;
  /** @param deadLetterId a stored dead letter of the event, which is marked as replayed when the handling succeeds */
  handle(event: EventEnvelope, receipt: Receipt, deadLetterId?: string): Promise<'handled' | 'double'>;
  /**
   * Handles the event of a dead letter, of which there is at most one replay at a time.
   * @param tx holds the dead letter
   * @throws what the handlers throw
   */
  replay(event: EventEnvelope, tx: TenantTransaction): Promise<void>;
}

/** The handlers of a consumer, in the order in which they were added; those of an event run one after the other. */
class Handlers<Method> {
  private readonly added: { readonly events: readonly EventName[] | 'all'; readonly method: Method }[] = [];

  add(events: readonly EventName[] | 'all', method: Method): void {
    this.added.push({ events, method });
  }

  of({ type }: EventEnvelope): Method[] {
    return this.added
      .filter(({ events }) => events === 'all' || events.includes(type as EventName))
      .map(({ method }) => method);
  }
}

/** The effect and the inbox row that keeps it from happening twice are one transaction. */
export class TransactionalHandling implements EventHandling {
  readonly isOrdered = true;
  readonly handlers = new Handlers<EventMethod>();

  constructor(
    private readonly database: Database,
    private readonly consumer: string,
  ) {}

  wants(event: EventEnvelope): boolean {
    return this.handlers.of(event).length > 0;
  }

  handle(event: EventEnvelope, _receipt: Receipt, deadLetterId?: string): Promise<'handled' | 'double'> {
    return this.database.transaction(originOf(event), async (tx) => {
      const isNew = await this.handleOnce(event, tx);
      if (deadLetterId !== undefined) await markReplayed(tx, deadLetterId);
      return isNew ? 'handled' : 'double';
    });
  }

  async replay(event: EventEnvelope, tx: TenantTransaction): Promise<void> {
    tx.origin = originOf(event);
    await this.handleOnce(event, tx);
  }

  /** @throws Error when the transaction is of another tenant than the event, because the other tenant's receivers would get its data */
  private async handleOnce(event: EventEnvelope, tx: TenantTransaction): Promise<boolean> {
    if (event.tenantid.toLowerCase() !== tx.tenantId) {
      throw new Error('The event belongs to another tenant than the transaction');
    }
    if (!(await recordInbox(tx, this.consumer, event.id))) return false;
    for (const method of this.handlers.of(event)) await method(event, tx);
    return true;
  }
}

/** The handlers recognise by themselves what they have handled; there is no transaction and no inbox row. */
export class IdempotentHandling implements EventHandling {
  readonly isOrdered = false;
  readonly handlers = new Handlers<IdempotentMethod>();

  constructor(private readonly database: Database) {}

  wants(event: EventEnvelope): boolean {
    return this.handlers.of(event).length > 0;
  }

  async handle(event: EventEnvelope, receipt: Receipt, deadLetterId?: string): Promise<'handled'> {
    for (const method of this.handlers.of(event)) await method(event, receipt);
    if (deadLetterId !== undefined) {
      await this.database.transaction(event.tenantid, (tx) => markReplayed(tx, deadLetterId));
    }
    return 'handled';
  }

  async replay(event: EventEnvelope): Promise<void> {
    await this.handle(event, { deliveryCount: 0, streamSequence: null });
  }
}

/**
 * Replays a dead letter of a consumer.
 * @returns false when there is no such dead letter or it was replayed
 * @throws what the handlers throw, and Error for a message that is not an event of this tenant; the dead letter stays
 */
export function replayDeadLetter(
  database: Database,
  consumer: string,
  handling: EventHandling,
  { tenantId, deadLetterId }: { readonly tenantId: string; readonly deadLetterId: string },
): Promise<boolean> {
  return database.transaction(tenantId, async (tx) => {
    const stored = await lockDeadLetter(tx, deadLetterId);
    if (!stored || stored.consumer !== consumer) return false;
    // The header is not stored; a message that names two tenants is stored for the tenant in its header, and stays there.
    const event = readEvent(stored.payload, stored.tenantId);
    if (!event.ok) throw new Error(event.problem);
    event.envelope.traceparent = continueTrace(event.envelope.traceparent);
    await handling.replay(event.envelope, tx);
    await markReplayed(tx, deadLetterId);
    return true;
  });
}

/** Events of the handler belong to the request that caused the event. */
const originOf = ({ tenantid, traceparent }: EventEnvelope): TransactionOrigin => ({ tenantId: tenantid, traceparent });
