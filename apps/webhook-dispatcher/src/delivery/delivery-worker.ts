import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { TenantShares } from '@crm/worker';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { WebhookConfig } from '../config.js';
import { WEBHOOK_CONFIG } from '../webhook-config.js';
import { Breaker } from './breaker.js';
import type { ClaimedDelivery } from './delivery.js';
import { DeliverySender } from './delivery-sender.js';
import { DeliverySignal } from './delivery-signal.js';
import { DueDeliveryRepository, type Room } from './due-delivery.repository.js';
import { SubscriptionQueueRepository } from './subscription-queue.repository.js';

/** Milliseconds a claim holds: twice what an attempt may take, so that only a dead process loses one. */
const CLAIM_MS = 30_000;
/** The longest pause between two looks: what a lost signal or another process's death costs, in milliseconds. */
const LONGEST_PAUSE_MS = 1_000;
/** The shortest pause, when there is nothing to claim though something is due: it is being claimed elsewhere. */
const SHORTEST_PAUSE_MS = 20;
/** Pause after the database could not be asked. */
const ERROR_PAUSE_MS = 1_000;

/**
 * Takes on due deliveries and sees that each is attempted. Postgres holds the truth: whatever this process forgets by
 * dying is claimed again by the next look of any process once its claim has run out.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryWorker.name);
  private readonly breaker: Breaker;
  private readonly shares: TenantShares;
  private readonly underWay = new Set<Promise<void>>();
  private stopping = false;
  private signalled = false;
  private wake: () => void = () => {
    this.signalled = true;
  };
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly due: DueDeliveryRepository,
    private readonly queues: SubscriptionQueueRepository,
    private readonly sender: DeliverySender,
    private readonly signal: DeliverySignal,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'delivery'>,
  ) {
    this.shares = new TenantShares(config.delivery.concurrency);
    this.breaker = new Breaker(config.delivery.concurrencyPerSubscription);
  }

  onApplicationBootstrap(): void {
    this.signal.listen(() => this.wake());
    this.running = this.run();
  }

  /**
   * Begins nothing new and waits for the attempts under way, which have a time limit of their own; while the database is
   * still there.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.running;
    await Promise.all(this.underWay);
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      let pause = 0;
      try {
        pause = await this.look();
      } catch (error) {
        this.logger.error('Due deliveries could not be claimed', error instanceof Error ? error.stack : error);
        pause = ERROR_PAUSE_MS;
      }
      if (pause > 0) await this.pause(pause);
    }
  }

  /** Claims what there is room for. @returns milliseconds until the next look is worth while */
  private async look(): Promise<number> {
    const places = this.shares.free;
    if (places <= 0) return LONGEST_PAUSE_MS;
    const room: Room = {
      places,
      perSubscription: this.config.delivery.concurrencyPerSubscription,
      bySubscription: this.breaker.narrowed(Date.now()),
      fullTenants: this.shares.full(),
    };
    const { deliveries, isCut } = await this.database.crossTenant((tx) =>
      this.due.claim(tx, randomUUID(), room, CLAIM_MS),
    );
    const surplus = deliveries.filter((delivery) => !this.begin(delivery));
    if (surplus.length > 0) await this.database.crossTenant((tx) => this.due.release(tx, surplus));
    if (isCut) return 0;
    return this.pauseUntilDue();
  }

  private async pauseUntilDue(): Promise<number> {
    const now = Date.now();
    const untilNext = await this.database.crossTenant((tx) =>
      this.queues.untilNext(tx, this.breaker.closed(now), this.shares.full()),
    );
    const opening = this.breaker.nextOpening(now);
    const waits = [untilNext, opening === null ? null : opening - now].filter((wait): wait is number => wait !== null);
    return Math.min(
      LONGEST_PAUSE_MS,
      Math.max(SHORTEST_PAUSE_MS, ...(waits.length > 0 ? [Math.min(...waits)] : [LONGEST_PAUSE_MS])),
    );
  }

  /** @returns false when the subscription or its tenant has its share under way already */
  private begin(delivery: ClaimedDelivery): boolean {
    const { tenantId, subscriptionId } = delivery;
    if (this.breaker.room(subscriptionId, Date.now()) === 0 || !this.shares.mayBegin(tenantId)) return false;
    this.breaker.begun(subscriptionId);
    this.shares.begun(tenantId);
    const attempt = this.carryOut(delivery).finally(() => {
      this.underWay.delete(attempt);
      this.shares.ended(tenantId);
      this.wake();
    });
    this.underWay.add(attempt);
    return true;
  }

  private async carryOut(delivery: ClaimedDelivery): Promise<void> {
    let succeeded = true;
    try {
      succeeded = (await this.sender.attempt(delivery)) ?? true;
    } catch (error) {
      // The claim runs out and the delivery is taken on again; nothing about the receiver is known.
      this.logger.error(`Delivery ${delivery.id} could not be attempted`, error instanceof Error ? error.stack : error);
    }
    this.breaker.ended(delivery.subscriptionId, succeeded, Date.now());
  }

  /** Waits, or less when there is a signal; one that came during the look just made counts too. */
  private async pause(milliseconds: number): Promise<void> {
    if (!this.signalled && !this.stopping) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.signalled = false;
    this.wake = () => {
      this.signalled = true;
    };
  }
}
