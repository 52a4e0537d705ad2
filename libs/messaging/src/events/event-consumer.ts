import { type ConsumerDefinition, EVENT_STREAM, type EventName } from '@crm/contracts';
import { type Database, NO_TENANT, Wake } from '@crm/database';
import { runInSpan } from '@crm/telemetry';
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { metrics } from '../metrics.js';
import type { NatsConnection } from '../nats-connection.js';
import {
  DeadLetterStore,
  type EventHandling,
  type EventMethod,
  IdempotentHandling,
  type IdempotentMethod,
  replayDeadLetter,
  TransactionalHandling,
} from './event-handling.js';
import { EventsInProgress, OrderedSlots } from './ordered-slots.js';
import {
  delayAfterOutage,
  headerTenant,
  isTransient,
  isUnrecoverable,
  REDELIVERY_DELAYS_MS,
  type ReceivedEvent,
  readEvent,
  receiveEvent,
  redeliveryDelay,
} from './received-event.js';

/** A pull ends after this long without a message and is followed by the next. */
const PULL_EXPIRES_MS = 30_000;
/** Interval of the server's heartbeats; after two missed ones the pull is cancelled and started again. */
const HEARTBEAT_MS = 5_000;
const RETRY_PULL_MS = 1_000;
const MIXED = 'The handlers of a consumer are either all idempotent or none of them is';
/** The problem of a message whose process ended while handling it, so that nothing else is known. */
const NO_OUTCOME = 'Delivered again and again without an outcome';

/** Events in a pull. */
const MOST_PULLED = 1_024;

export interface EventConsumerOptions {
  concurrency?: number;
  readAhead?: number;
  redeliveryDelaysMs?: readonly number[];
}

type ReadableEvent = Extract<ReceivedEvent, { ok: true }>;

/**
 * Handles the events of a record in the order of arrival; the effect and its inbox row are one transaction, which the
 * acknowledgement follows. Idempotent handlers, of which a consumer has only such or none, work without all of it.
 */
export class EventConsumer {
  private readonly logger: Logger;
  private handling: TransactionalHandling | IdempotentHandling | undefined;
  private readonly inProgress: EventsInProgress;
  private readonly slots: OrderedSlots;
  private readonly deadLetters: DeadLetterStore;
  private readonly batchSize: number;
  private consumer: Consumer | undefined;
  private readonly delays: readonly number[];
  private readonly wake = new Wake();
  private pulled: ConsumerMessages | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(
    readonly definition: ConsumerDefinition,
    private readonly nats: NatsConnection,
    private readonly database: Database,
    options: EventConsumerOptions = {},
  ) {
    this.logger = new Logger(`Consumer ${definition.durable}`);
    const concurrency = options.concurrency ?? definition.concurrency;
    // By default enough that no slot waits for the network.
    const readAhead = options.readAhead ?? definition.readAhead ?? 4 * concurrency;
    this.batchSize = Math.min(MOST_PULLED, Math.ceil(readAhead / 2));
    this.slots = new OrderedSlots(concurrency, readAhead, this.batchSize);
    this.inProgress = new EventsInProgress(definition.ackWaitMs, (message) => this.tell(() => message.working()));
    this.deadLetters = new DeadLetterStore(database, definition.durable);
    this.delays = options.redeliveryDelaysMs ?? REDELIVERY_DELAYS_MS;
  }

  /** The handlers of an event run one after the other, in this order. @throws Error beside idempotent handlers */
  on(events: readonly EventName[] | 'all', method: EventMethod): void {
    this.handling ??= new TransactionalHandling(this.database, this.definition.durable);
    if (!(this.handling instanceof TransactionalHandling)) throw new Error(MIXED);
    this.handling.add(events, method);
  }

  /** @throws Error when the consumer has handlers that are not idempotent */
  onIdempotent(events: readonly EventName[] | 'all', method: IdempotentMethod): void {
    this.handling ??= new IdempotentHandling(this.database);
    if (!(this.handling instanceof IdempotentHandling)) throw new Error(MIXED);
    this.handling.add(events, method);
  }

  start(): void {
    this.running ??= this.pullUntilStopped();
  }

  /** Accepts no more events and waits for those in progress; what waits for its turn is told to put off what it can. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake.signal();
    await this.pulled?.close();
    await this.running;
    await this.endPull();
    await this.slots.drain();
  }

  /** @returns false when no such dead letter waits; it stays when the handlers throw or it is no event of this tenant */
  replay(tenantId: string, deadLetterId: string): Promise<boolean> {
    return replayDeadLetter(this.database, this.definition.durable, this.required, { tenantId, deadLetterId });
  }

  private get required(): EventHandling {
    if (!this.handling) throw new Error(`The consumer ${this.definition.durable} has no handler`);
    return this.handling;
  }

  /** Until the buffered end of the pull reaches the server, messages are delivered to no one and wait for the timeout. */
  private async endPull(): Promise<void> {
    try {
      await this.nats.flush();
    } catch (error) {
      this.warn('The end of the last pull was not sent; its messages are delivered again later', error);
    }
  }

  private async pullUntilStopped(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.slots.waitForCapacity();
        await this.pull();
      } catch (error) {
        // A consumer that was deleted and created again is looked up again.
        this.consumer = undefined;
        if (this.stopped) return;
        metrics.consumerFailures.inc({ consumer: this.definition.durable });
        this.warn('Pulling failed; the next pull tries again', error);
        await this.wake.wait(RETRY_PULL_MS);
      }
    }
  }

  private async pull(): Promise<void> {
    this.consumer ??= await this.nats.jetstream.consumers.get(EVENT_STREAM.name, this.definition.durable);
    if (this.stopped) return;
    this.pulled = await this.consumer.fetch({
      max_messages: this.batchSize,
      expires: PULL_EXPIRES_MS,
      idle_heartbeat: HEARTBEAT_MS,
    });
    for await (const message of this.pulled) this.accept(message);
  }

  private accept(message: JsMsg): void {
    this.inProgress.begun(message);
    const header = headerTenant(message);
    const read = () => readEvent(message.data, header);
    // Otherwise it is read when its turn comes, so that many can wait in little memory.
    const event = this.required.isOrdered || header === undefined ? read() : undefined;
    const envelope = event?.ok ? event.envelope : undefined;
    const tenantId = header ?? envelope?.tenantid ?? NO_TENANT;
    const key = this.required.isOrdered && envelope ? `${envelope.tenantid} ${envelope.subject ?? ''}` : undefined;
    const begin = (shouldPutOff: boolean) =>
      this.work(message, event ?? read(), shouldPutOff).finally(() => this.inProgress.ended(message));
    this.slots.add({ tenantId, key, bytes: message.data.length, begin }, message.info.pending);
  }

  /** Never rejects: the message is acknowledged, delivered again, or stored as a dead letter. */
  private async work(message: JsMsg, event: ReceivedEvent, shouldPutOff: boolean): Promise<void> {
    const consumer = this.definition.durable;
    const end = metrics.eventSeconds.startTimer({ consumer });
    try {
      if (!event.ok) await this.storeAndTerminate(message, event, event.problem);
      else {
        const outcome = await this.outcomeOf(message, event, shouldPutOff);
        if (outcome === 'dead_letter') this.terminate(message);
        else {
          this.tell(() => message.ack());
          metrics.eventsHandled.inc({ consumer, outcome });
        }
      }
    } catch (error) {
      await this.failed(message, event, error);
    } finally {
      end();
    }
  }

  private async outcomeOf(
    message: JsMsg,
    event: ReadableEvent,
    shouldPutOff: boolean,
  ): Promise<'handled' | 'double' | 'ignored' | 'dead_letter'> {
    const { envelope } = event;
    if (!this.required.wants(envelope)) return 'ignored';
    const span = receiveEvent({ message, envelope, consumer: this.definition });
    return runInSpan(span, () => this.handle(message, event, shouldPutOff));
  }

  private async handle(
    message: JsMsg,
    event: ReadableEvent,
    shouldPutOff: boolean,
  ): Promise<'handled' | 'double' | 'dead_letter'> {
    const { envelope } = event;
    const { deliveryCount, streamSequence, timestampNanos } = message.info;
    const storedAt = new Date(timestampNanos / 1e6);
    const receipt = { deliveryCount, streamSequence, storedAt, shouldPutOff: shouldPutOff || this.stopped };
    if (!this.isUnrecoverable(message)) return this.required.handle(envelope, receipt);
    // It may only have waited long for something unavailable, so there is one more attempt. It is stored before, and not
    // attempted again if it was already stored: the process of that attempt ended with it.
    const noted = await this.deadLetters.store(message, event, NO_OUTCOME);
    return noted.isNew ? this.required.handle(envelope, receipt, noted.id) : 'dead_letter';
  }

  private isUnrecoverable(message: JsMsg): boolean {
    return isUnrecoverable(message.info.deliveryCount, this.definition.maxDeliveries);
  }

  private async failed(message: JsMsg, event: ReceivedEvent, error: unknown): Promise<void> {
    const consumer = this.definition.durable;
    const { deliveryCount, timestampNanos } = message.info;
    const isOutage = isTransient(error);
    const eventId = event.ok ? event.envelope.id : undefined;
    this.logger.error({ msg: `Delivery ${deliveryCount} failed`, eventId, err: error });
    try {
      const isDead = !isOutage && deliveryCount >= this.definition.maxDeliveries;
      if (isDead || this.isUnrecoverable(message)) {
        await this.storeAndTerminate(message, event, describe(error));
        return;
      }
    } catch (storeError) {
      // The message stays in the stream and is delivered again until it can be stored.
      this.logger.error({
        msg: 'A dead letter could not be stored; the message is delivered again',
        eventId,
        err: storeError,
      });
    }
    const ageMs = Date.now() - timestampNanos / 1e6;
    const delayMs = isOutage
      ? delayAfterOutage(this.delays, deliveryCount, ageMs)
      : redeliveryDelay(this.delays, deliveryCount);
    this.tell(() => message.nak(delayMs));
    metrics.eventsHandled.inc({ consumer, outcome: 'failed' });
  }

  /** Reports an outcome to the broker. On a closed connection that is impossible, and the message is delivered again. */
  private tell(outcome: () => void): void {
    try {
      outcome();
    } catch (error) {
      this.warn('An outcome was not sent; the message is delivered again', error);
    }
  }

  private warn(what: string, error: unknown): void {
    this.logger.warn(`${what}: ${error instanceof Error ? error.message : error}`);
  }

  private async storeAndTerminate(message: JsMsg, event: ReceivedEvent, problem: string): Promise<void> {
    await this.deadLetters.store(message, event, problem);
    this.terminate(message);
  }

  private terminate(message: JsMsg): void {
    const consumer = this.definition.durable;
    this.tell(() => message.term());
    metrics.deadLetters.inc({ consumer });
    metrics.deadLettersWaiting.inc({ consumer });
    metrics.eventsHandled.inc({ consumer, outcome: 'dead_letter' });
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
