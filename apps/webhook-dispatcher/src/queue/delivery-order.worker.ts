import { CONSUMERS } from '@crm/contracts';
import { Database } from '@crm/database';
import { ConsumerProgress } from '@crm/messaging';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliveryOrderRepository } from './delivery-order.repository.js';
import { DeliveryOrderSignal } from './delivery-order.signal.js';
import { SubscriptionQueueSignal } from './queue-signals.js';

/** A process tells itself what it changes; this is for what others leave behind. */
const LONGEST_PAUSE_MS = 5_000;
/** Pauses between looks while something waits for events before it in the stream: doubled from the first to the last. */
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 500;
const AFTER_FAILURE_MS = 1_000;
/** Changes that one look decides on: bounds how long others wait for the lock. */
const CHANGES_AT_A_TIME = 1_000;
/**
 * Milliseconds that a new delivery waits at most for the events before it in the stream. Those of a process that died come
 * again after 10 s (`ackWaitMs` of the consumer), one that could not be recorded after 1, 5 and 30 s; one that fails more
 * often than that must not hold up the records of all others.
 */
const LONGEST_GATE_MS = 30_000;

/**
 * Appoints the heads of lines. A delivery becomes one only when every event before it in the stream has been recorded, by
 * whichever process got it: so none of its record with a lower version is still to come, whatever processes do at the
 * same time and however often the broker delivers again.
 */
@Injectable()
export class DeliveryOrderWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('RecordLines');
  private isStopping = false;
  private running: Promise<void> | undefined;
  private recordedUpTo = 0;
  private gatePauseMs = FIRST_PAUSE_MS;

  constructor(
    private readonly database: Database,
    private readonly lines: DeliveryOrderRepository,
    private readonly progress: ConsumerProgress,
    private readonly queueSignal: SubscriptionQueueSignal,
    private readonly signal: DeliveryOrderSignal,
  ) {}

  onApplicationBootstrap(): void {
    this.running ??= this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.signal.signal();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isStopping) await this.signal.wait(await this.pauseAfterLook());
  }

  /** @returns milliseconds until the next look is worthwhile */
  private async pauseAfterLook(): Promise<number> {
    try {
      return await this.look();
    } catch (error) {
      this.logger.error({ msg: 'The next in line could not be made due; the next look tries again', err: error });
      return AFTER_FAILURE_MS;
    }
  }

  private async look(): Promise<number> {
    const gate = { recordedUpTo: this.recordedUpTo, longestMs: LONGEST_GATE_MS };
    const { woken, isFresh } = await this.database.crossTenant((tx) =>
      this.lines.appointHeads(tx, gate, CHANGES_AT_A_TIME),
    );
    if (woken > 0) this.queueSignal.signal();
    if (woken > 0 || !isFresh) this.gatePauseMs = FIRST_PAUSE_MS;
    if (!isFresh) return LONGEST_PAUSE_MS;
    await this.askBroker();
    const pauseMs = this.gatePauseMs;
    this.gatePauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
    return pauseMs;
  }

  /** What was acknowledged stays so: without an answer of the broker, what it said before still holds. */
  private async askBroker(): Promise<void> {
    try {
      this.recordedUpTo = await this.progress.acknowledgedUpTo(CONSUMERS['webhook-dispatcher']);
    } catch (error) {
      const msg = 'The broker does not say what is acknowledged; ordered deliveries wait for half a minute at most';
      this.logger.warn({ msg, err: error });
    }
  }
}
