import { CONSUMERS } from '@crm/contracts';
import { type Acknowledged, ConsumerProgress } from '@crm/messaging';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliveryOrderRepository } from './delivery-order.repository.js';
import { DeliveryOrderSignal, SubscriptionQueueSignal } from './queue-signals.js';

/** Changes of other processes are found after this pause; a process signals its own. */
const LONGEST_PAUSE_MS = 5_000;
/** Pauses between looks while events before a delivery in the stream are not recorded: doubled from the first to the last. */
const FIRST_PAUSE_MS = 10;
const LAST_PAUSE_MS = 500;
const AFTER_FAILURE_MS = 1_000;
/** Bounds how long others wait for the lock. */
const CHANGES_PER_LOOK = 1_000;
/** Longer than a dead process's events take to come again (10 s, `ackWaitMs`); one that keeps failing holds up no others. */
const LONGEST_GATE_MS = 30_000;

/** A delivery becomes a head when every event before it in the stream is recorded, so that no lower version can still come. */
@Injectable()
export class DeliveryOrderWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('DeliveryOrder');
  private isStopping = false;
  private running: Promise<void> | undefined;
  private recorded: Acknowledged = { upTo: 0, since: new Date(0), until: new Date(0) };
  private gatePauseMs = FIRST_PAUSE_MS;

  constructor(
    private readonly order: DeliveryOrderRepository,
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
      const msg = 'The next delivery of a record could not be made due; the next look tries again';
      this.logger.error({ msg, err: error });
      return AFTER_FAILURE_MS;
    }
  }

  private async look(): Promise<number> {
    const gate = { recorded: this.recorded, longestMs: LONGEST_GATE_MS };
    const { woken, isFresh } = await this.order.promoteNextDeliveries(gate, CHANGES_PER_LOOK);
    if (woken > 0) this.queueSignal.signal();
    if (woken > 0 || !isFresh) this.gatePauseMs = FIRST_PAUSE_MS;
    if (!isFresh) return LONGEST_PAUSE_MS;
    await this.askBroker();
    const pauseMs = this.gatePauseMs;
    this.gatePauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
    return pauseMs;
  }

  /** Acknowledgements of a stream are never undone: without an answer of the broker, its last one still holds. */
  private async askBroker(): Promise<void> {
    try {
      this.recorded = await this.progress.acknowledged(CONSUMERS['webhook-dispatcher']);
    } catch (error) {
      const msg = 'The broker does not say what is acknowledged; ordered deliveries wait for half a minute at most';
      this.logger.warn({ msg, err: error });
    }
  }
}

/** Milliseconds for which an answer is good. */
const ASKED_EVERY_MS = 50;

/** Knows whether deliveries of any process wait until events are recorded: then these need not wait for their first attempts. */
@Injectable()
export class OrderedDemand {
  private readonly logger = new Logger('OrderedDemand');
  private askedAt = 0;
  private answer: Promise<boolean> = Promise.resolve(false);

  constructor(private readonly order: DeliveryOrderRepository) {}

  /** Never rejects. */
  exists(): Promise<boolean> {
    const now = Date.now();
    if (now - this.askedAt >= ASKED_EVERY_MS) {
      this.askedAt = now;
      this.answer = this.order.isAwaited().catch((error: unknown) => {
        const msg = 'It is not known whether ordered deliveries wait; they wait for a second at most';
        this.logger.warn({ msg, err: error });
        return false;
      });
    }
    return this.answer;
  }
}
