import type { RevocationSource } from '@crm/access';
import { type AccessTokenClaims, REVOCATION_BUCKET, Revocation, revocationKey } from '@crm/contracts';
import { Wake } from '@crm/database';
import { type ConsumerMessages, DeliverPolicy, type JsMsg, type PushConsumer } from '@nats-io/jetstream';
import { Injectable, Logger } from '@nestjs/common';
import { Compile } from 'typebox/compile';
import { metrics } from '../metrics.js';
import { NatsConnection } from '../nats-connection.js';
import { Cutoffs } from './cutoffs.js';

/** Stream behind the key-value bucket, and the prefix of its subjects (NATS architecture decision record 8). */
export const REVOCATION_STREAM = `KV_${REVOCATION_BUCKET}`;
export const REVOCATION_SUBJECT_PREFIX = `$KV.${REVOCATION_BUCKET}.`;

const RETRY_MS = 500;
const PRUNE_MS = 60_000;
/** How often the server is asked what is left of the bucket, until everything has arrived. */
const ASK_MS = 250;

const revocationSchema = Compile(Revocation);

/** The content of the bucket, then each change. After a reconnection it is read again; known cut-offs stay in force. */
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

  private readAnew(): void {
    this.watched?.close().catch((error: unknown) => {
      // The connection was lost again: the next reconnection calls this again.
      this.warn('The watch of cut-offs could not be ended; the next reconnection tries again', error);
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
        this.warn('The watch of cut-offs failed; it is started again', error);
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
   * A message's count of those behind it is not enough: the server goes on counting a cut-off that was published again
   * meanwhile (nats-server 2.9.10), and identity publishes all of them at each start.
   */
  private async askWhatIsLeft(consumer: PushConsumer): Promise<void> {
    if (this.complete) return;
    try {
      const { name, num_pending: pending, delivered } = await consumer.info();
      const handled = this.handled?.consumer === name ? this.handled.sequence : 0;
      if (pending === 0 && handled >= delivered.consumer_seq) this.complete = true;
    } catch (error) {
      this.warn('The server did not say what is left of the cut-offs; it is asked again', error);
    }
  }

  private warn(what: string, error: unknown): void {
    this.logger.warn(`${what}: ${error instanceof Error ? error.message : error}`);
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

/** Publishes a cut-off to every verifier. Only identity's NATS user may. */
@Injectable()
export class RevocationPublisher {
  constructor(private readonly nats: NatsConnection) {}

  /** Resolves when the bucket has stored it; watchers receive it within milliseconds. */
  async publish(revocation: Revocation): Promise<void> {
    const subject = REVOCATION_SUBJECT_PREFIX + revocationKey(revocation.kind, revocation.id);
    await this.nats.jetstream.publish(subject, JSON.stringify(revocation), {
      expect: { streamName: REVOCATION_STREAM },
    });
  }
}
