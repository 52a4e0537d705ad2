import type { RevocationSource } from '@crm/access';
import { type AccessTokenClaims, Revocation } from '@crm/contracts';
import { Wake } from '@crm/database';
import { type ConsumerMessages, DeliverPolicy, type JsMsg, type PushConsumer } from '@nats-io/jetstream';
import { Injectable, Logger } from '@nestjs/common';
import { Compile } from 'typebox/compile';
import { metrics } from '../metrics.js';
import { NatsConnection } from '../nats-connection.js';
import { Cutoffs } from './cutoffs.js';
import { REVOCATION_STREAM, REVOCATION_SUBJECT_PREFIX } from './revocation-subject.js';

const RETRY_MS = 500;
const PRUNE_MS = 60_000;
/** How often the server is asked what is left of the bucket, until everything has arrived. */
const ASK_MS = 250;

const revocationSchema = Compile(Revocation);

/**
 * Watches the bucket of cut-offs: first its content, then each change. After a reconnection the bucket is read again, so
 * that no change is missed; known cut-offs stay in force meanwhile.
 */
@Injectable()
export class RevocationWatch implements RevocationSource {
  private readonly logger = new Logger('RevocationWatch');
  private readonly cutoffs = new Cutoffs();
  private readonly wake = new Wake();
  private watched: ConsumerMessages | undefined;
  private running: Promise<void> | undefined;
  private pruning: NodeJS.Timeout | undefined;
  private stopListening: (() => void) | undefined;
  private stopped = false;
  private complete = false;
  /** The last message of the bucket that was handled. */
  private handled: { consumer: string; sequence: number } | undefined;

  constructor(private readonly nats: NatsConnection) {}

  get ready(): boolean {
    return this.complete;
  }

  isRevoked(claims: AccessTokenClaims): boolean {
    return this.cutoffs.cut(claims);
  }

  isKeyRevoked(id: string): boolean {
    return this.cutoffs.cutsKey(id);
  }

  isSuspended(tenantId: string): boolean {
    return this.cutoffs.suspensions.has(tenantId);
  }

  suspendedTenants(): readonly string[] {
    return this.cutoffs.suspensions.list();
  }

  start(): void {
    if (this.running) return;
    this.stopListening = this.nats.onReconnect(() => this.readAnew());
    this.pruning = setInterval(() => {
      this.cutoffs.prune(Date.now());
      metrics.revocations.set(this.cutoffs.size);
    }, PRUNE_MS);
    this.pruning.unref();
    this.running = this.watchUntilStopped();
  }

  /** Ends the current watch; the loop starts another. */
  private readAnew(): void {
    this.watched?.close().catch((error: unknown) => {
      // The connection was lost again: the next reconnection calls this again.
      this.logger.warn(
        `The watch of cut-offs could not be ended; the next reconnection tries again: ${error instanceof Error ? error.message : error}`,
      );
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopListening?.();
    clearInterval(this.pruning);
    this.wake.signal();
    await this.watched?.close();
    await this.running;
  }

  private async watchUntilStopped(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.watch();
      } catch (error) {
        if (this.stopped) return;
        this.logger.warn(
          `The watch of cut-offs failed; it is started again: ${error instanceof Error ? error.message : error}`,
        );
        await this.wake.wait(RETRY_MS);
      }
    }
  }

  private async watch(): Promise<void> {
    const consumer = await this.nats.jetstream.consumers.getPushConsumer(REVOCATION_STREAM, {
      filter_subjects: `${REVOCATION_SUBJECT_PREFIX}>`,
      deliver_policy: DeliverPolicy.LastPerSubject,
    });
    const { num_pending: pending } = await consumer.info(true);
    if (pending === 0) this.complete = true;
    if (this.stopped) return;
    this.watched = await consumer.consume();
    // What was stopped meanwhile found nothing to close.
    if (this.stopped) await this.watched.close();
    const asking = setInterval(() => void this.askWhatIsLeft(consumer), ASK_MS);
    try {
      for await (const message of this.watched) {
        this.accept(message);
        if (this.complete) clearInterval(asking);
      }
    } finally {
      clearInterval(asking);
    }
  }

  /**
   * What a message says of those behind it is not enough: a cut-off that is published again takes the place of the one that the
   * consumer was about to deliver, and the server goes on counting both (nats-server 2.9.10). Identity publishes all of them
   * again at each start.
   */
  private async askWhatIsLeft(consumer: PushConsumer): Promise<void> {
    if (this.complete) return;
    try {
      const { name, num_pending: pending, delivered } = await consumer.info();
      const handled = this.handled?.consumer === name ? this.handled.sequence : 0;
      if (pending === 0 && handled >= delivered.consumer_seq) this.complete = true;
    } catch (error) {
      this.logger.warn(
        `The server did not say what is left of the cut-offs; it is asked again: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  private accept(message: JsMsg): void {
    // A deleted key has no body: its cut-off has expired.
    if (message.data.length > 0) this.addCutoff(message);
    const { consumer, deliverySequence: sequence, pending } = message.info;
    this.handled = { consumer, sequence };
    if (pending === 0) this.complete = true;
    metrics.revocations.set(this.cutoffs.size);
  }

  private addCutoff(message: JsMsg): void {
    try {
      const revocation = message.json<unknown>();
      if (!revocationSchema.Check(revocation)) throw new Error('not a revocation');
      this.cutoffs.add(revocation as Revocation);
    } catch (error) {
      this.logger.error({ msg: `The cut-off ${message.subject} is invalid and was ignored`, err: error });
    }
  }
}
