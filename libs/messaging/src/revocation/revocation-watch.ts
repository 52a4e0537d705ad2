import { type RevocationSource, uuidTimeMs } from '@crm/access';
import { ACCESS_TOKEN_SECONDS, type AccessTokenClaims, Revocation, revocationKey } from '@crm/contracts';
import { Wake } from '@crm/database';
import {
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiError,
  type JsMsg,
  type PushConsumer,
} from '@nats-io/jetstream';
import { Injectable, Logger } from '@nestjs/common';
import { Compile } from 'typebox/compile';
import { REVOCATION_STREAM, REVOCATION_SUBJECT_PREFIX } from '../broker-names.js';
import { metrics } from '../metrics.js';
import { NatsConnection } from '../nats-connection.js';

/** Longer than the bucket can have the lifted suspension (a day), which a bucket that is read again gives first. */
const SUSPENSION_RELEVANT_MS = 2 * 86_400_000;

/** Suspended: the last suspension is later than the last reinstatement. Both only move forward, so order does not matter. */
export class Suspensions {
  private readonly suspendedAt = new Map<string, number>();
  private readonly reinstatedAt = new Map<string, number>();
  private readonly suspended = new Set<string>();
  private listed: readonly string[] | undefined;

  get size(): number {
    return this.suspendedAt.size + this.reinstatedAt.size;
  }

  suspend(tenantId: string, atMs: number): void {
    keepLater(this.suspendedAt, tenantId, atMs);
    this.decide(tenantId);
  }

  reinstate(tenantId: string, atMs: number): void {
    keepLater(this.reinstatedAt, tenantId, atMs);
    this.decide(tenantId);
  }

  /** Looked up for every token. */
  has(tenantId: string): boolean {
    return this.suspended.size > 0 && this.suspended.has(tenantId);
  }

  list(): readonly string[] {
    this.listed ??= [...this.suspended];
    return this.listed;
  }

  /** Forgets what was lifted long ago. A suspension in force is never forgotten. @param nowMs Unix time in milliseconds */
  prune(nowMs: number): void {
    for (const [tenantId, atMs] of this.reinstatedAt) {
      if (atMs >= nowMs - SUSPENSION_RELEVANT_MS) continue;
      this.reinstatedAt.delete(tenantId);
      if (!this.suspended.has(tenantId)) this.suspendedAt.delete(tenantId);
    }
  }

  private decide(tenantId: string): void {
    const isInForce = (this.suspendedAt.get(tenantId) ?? 0) > (this.reinstatedAt.get(tenantId) ?? 0);
    if (isInForce === this.suspended.has(tenantId)) return;
    if (isInForce) this.suspended.add(tenantId);
    else this.suspended.delete(tenantId);
    this.listed = undefined;
  }
}

function keepLater(times: Map<string, number>, id: string, atMs: number): void {
  times.set(id, Math.max(atMs, times.get(id) ?? 0));
}

/** Time after which every token that a cut-off affects has expired: twice the longest lifetime, to allow for clocks. */
const RELEVANT_MS = 2 * ACCESS_TOKEN_SECONDS * 1000;

/** The holder of a revoked signing key can date tokens at will, so its cut-off outlives every copy of the published keys. */
const KEY_RELEVANT_MS = 24 * 3_600_000;

export class Cutoffs {
  private readonly byKey = new Map<string, number>();
  /** Signing keys, apart from the others: what is asked for every token must cost nothing while there are none. */
  private readonly signingKeys = new Map<string, number>();
  readonly suspensions = new Suspensions();
  /** Never forgotten: operators revoke a few apps in a year, and for good. */
  private readonly apps = new Set<string>();
  private listedApps: readonly string[] = [];

  get size(): number {
    return this.byKey.size + this.signingKeys.size + this.suspensions.size + this.apps.size;
  }

  add({ kind, id, cutoffMs }: Revocation): void {
    switch (kind) {
      case 'signing_key':
        this.signingKeys.set(id, cutoffMs);
        return;
      case 'suspension':
        this.suspensions.suspend(id, cutoffMs);
        return;
      case 'reinstatement':
        this.suspensions.reinstate(id, cutoffMs);
        return;
      case 'revoked_app':
        if (!this.apps.has(id)) this.listedApps = [...this.apps.add(id)];
        return;
      default: {
        const key = revocationKey(kind, id);
        this.byKey.set(key, Math.max(cutoffMs, this.byKey.get(key) ?? 0));
      }
    }
  }

  /** Removes cut-offs that no unexpired token can be affected by. @param nowMs Unix time in milliseconds */
  prune(nowMs: number): void {
    for (const [key, cutoffMs] of this.byKey) if (cutoffMs < nowMs - RELEVANT_MS) this.byKey.delete(key);
    for (const [id, cutoffMs] of this.signingKeys) {
      if (cutoffMs < nowMs - KEY_RELEVANT_MS) this.signingKeys.delete(id);
    }
    this.suspensions.prune(nowMs);
  }

  /** Returns whether a signing key is out of force. @param id its `kid` */
  isKeyRevoked(id: string): boolean {
    return this.signingKeys.size > 0 && this.signingKeys.has(id);
  }

  /** Returns whether an app is revoked. @param key its key */
  isAppRevoked(key: string): boolean {
    return this.apps.size > 0 && this.apps.has(key);
  }

  revokedApps(): readonly string[] {
    return this.listedApps;
  }

  /** Returns whether the token is revoked: its tenant is suspended, its app or session has ended, or it was issued before a cut-off. */
  isTokenRevoked(claims: AccessTokenClaims): boolean {
    if (claims.tid && this.suspensions.has(claims.tid)) return true;
    if (this.apps.size > 0 && this.apps.has(appOf(claims) ?? '')) return true;
    if (this.byKey.size === 0) return false;
    if (claims.sid !== undefined && this.byKey.has(revocationKey('session', claims.sid))) return true;
    const issuedMs = uuidTimeMs(claims.jti);
    return subjectsOf(claims).some((key) => issuedMs < (this.byKey.get(key) ?? 0));
  }
}

const appOf = ({ act, embed_app_id }: AccessTokenClaims): string | undefined => act?.sub ?? embed_app_id;

function subjectsOf(claims: AccessTokenClaims): string[] {
  const keys = [revocationKey('user', claims.sub)];
  if (claims.tid) keys.push(revocationKey('tenant', claims.tid));
  const app = appOf(claims);
  if (app) keys.push(revocationKey('app', app));
  if (claims.embed_app_id) keys.push(revocationKey('embedding', claims.embed_app_id));
  const installation = claims.act?.installation_id;
  if (installation) keys.push(revocationKey('installation', installation));
  if (installation && claims.sid !== undefined) keys.push(revocationKey('grant', claims.sid));
  return keys;
}

const RETRY_MS = 100;
const PRUNE_MS = 60_000;
/** How often the server is asked what is left of the bucket, until everything has arrived. */
const ASK_MS = 250;
/** And from then on: whether the connection, the stream and the consumer are still there, which the client learns after a minute. */
const CONFIRM_MS = 2_000;
/** How exactly the time since the last answer is measured. */
const TICK_MS = 250;

const revocationSchema = Compile(Revocation);

/** The content of the bucket, then each change. After a reconnection it is read again; known cut-offs stay in force. */
@Injectable()
export class RevocationWatch implements RevocationSource {
  private readonly logger = new Logger('RevocationWatch');
  private readonly cutoffs = new Cutoffs();
  private readonly wake = new Wake();
  private watched: ConsumerMessages | undefined;
  private running: Promise<void> | undefined;
  private confirming: Promise<void> | undefined;
  private readonly nextLook = new Wake();
  private pruning: NodeJS.Timeout | undefined;
  private stopListening: (() => void) | undefined;
  private stopped = false;
  private complete = false;
  private consumer: PushConsumer | undefined;
  private handled: { consumer: string; sequence: number } | undefined;
  private ageing: NodeJS.Timeout | undefined;
  private tickedAt = performance.now();
  private age = 0;

  constructor(private readonly nats: NatsConnection) {}

  get ready(): boolean {
    return this.complete;
  }

  get ageMs(): number {
    return this.age;
  }

  isRevoked(claims: AccessTokenClaims): boolean {
    return this.cutoffs.isTokenRevoked(claims);
  }

  isKeyRevoked(id: string): boolean {
    return this.cutoffs.isKeyRevoked(id);
  }

  isSuspended(tenantId: string): boolean {
    return this.cutoffs.suspensions.has(tenantId);
  }

  suspendedTenants(): readonly string[] {
    return this.cutoffs.suspensions.list();
  }

  /** For what is known by another way than the broker. */
  learn(revocation: Revocation): void {
    this.cutoffs.add(revocation);
  }

  isAppRevoked(appKey: string): boolean {
    return this.cutoffs.isAppRevoked(appKey);
  }

  revokedApps(): readonly string[] {
    return this.cutoffs.revokedApps();
  }

  start(): void {
    if (this.running) return;
    this.stopListening = this.nats.onReconnect(() => this.readAnew());
    this.pruning = setInterval(() => {
      this.cutoffs.prune(Date.now());
      metrics.revocations.set(this.cutoffs.size);
    }, PRUNE_MS);
    this.pruning.unref();
    this.ageing = setInterval(() => this.grow(), TICK_MS);
    this.ageing.unref();
    this.running = this.watchUntilStopped();
    this.confirming = this.confirmUntilStopped();
  }

  private readAnew(): void {
    // What it is asked from now on says nothing of what was missed.
    this.consumer = undefined;
    this.watched?.close().catch((error: unknown) => {
      // The connection was lost again: the next reconnection calls this again.
      this.warn('The watch of cut-offs could not be ended; the next reconnection tries again', error);
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopListening?.();
    clearInterval(this.pruning);
    clearInterval(this.ageing);
    this.wake.signal();
    this.nextLook.signal();
    await this.watched?.close();
    await Promise.all([this.running, this.confirming]);
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
    if (pending === 0) this.confirm();
    if (this.stopped) return;
    this.watched = await consumer.consume();
    // What was stopped meanwhile found nothing to close.
    if (this.stopped) await this.watched.close();
    this.consumer = consumer;
    for await (const message of this.watched) this.accept(message);
  }

  /** A process that stood still has not heard an answer that may be there: its pause counts little. */
  private grow(): void {
    const now = performance.now();
    this.age += Math.min(now - this.tickedAt, 2 * TICK_MS);
    this.tickedAt = now;
    metrics.revocationAge.set(this.age / 1000);
  }

  private confirm(): void {
    this.complete = true;
    this.age = 0;
  }

  private async confirmUntilStopped(): Promise<void> {
    while (!this.stopped) {
      const isConfirmed = this.consumer !== undefined && !this.nats.isCut && (await this.askWhatIsLeft(this.consumer));
      await this.nextLook.wait(isConfirmed ? CONFIRM_MS : ASK_MS);
    }
  }

  /**
   * A message's count of those behind it is not enough: the server goes on counting a cut-off that was published again
   * meanwhile (nats-server 2.9.10), and identity publishes all of them at each start.
   * @returns whether everything has arrived
   */
  private async askWhatIsLeft(consumer: PushConsumer): Promise<boolean> {
    try {
      const { name, num_pending: pending, delivered } = await consumer.info();
      const handled = this.handled?.consumer === name ? this.handled.sequence : 0;
      const isComplete = consumer === this.consumer && pending === 0 && handled >= delivered.consumer_seq;
      if (isComplete) this.confirm();
      return isComplete;
    } catch (error) {
      if (this.stopped || consumer !== this.consumer) return false;
      this.warn('The server did not say what is left of the cut-offs; it is asked again', error);
      // Deleted, or of a stream that was lost: another is made.
      if (error instanceof JetStreamApiError && error.status === 404) this.readAnew();
      return false;
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
    if (pending === 0) this.confirm();
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

  /** Returns whether nothing can be published, because the connection is lost. */
  get isCut(): boolean {
    return this.nats.isCut;
  }

  /** @param listener called when the lost connection is back @returns removes it */
  onReturn(listener: () => void): () => void {
    return this.nats.onReconnect(listener);
  }

  /** Resolves when the bucket has stored it; watchers receive it within milliseconds. */
  async publish(revocation: Revocation): Promise<void> {
    const subject = REVOCATION_SUBJECT_PREFIX + revocationKey(revocation.kind, revocation.id);
    await this.nats.jetstream.publish(subject, JSON.stringify(revocation), {
      expect: { streamName: REVOCATION_STREAM },
    });
  }
}
