import { RoundRobin, TenantShares } from '@crm/database';
import type { JsMsg } from '@nats-io/jetstream';

/** Messages that a consumer holds, waiting ones too, are reported to the broker three times in the acknowledgement time. */
export class EventsInProgress {
  private readonly messages = new Map<JsMsg, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param report tells the broker; must not throw */
  constructor(
    private readonly ackWaitMs: number,
    private readonly report: (message: JsMsg) => void,
  ) {}

  begun(message: JsMsg): void {
    this.messages.set(message, Date.now() + this.ackWaitMs / 3);
    this.timer ??= setInterval(() => this.extend(Date.now()), this.ackWaitMs / 10);
  }

  ended(message: JsMsg): void {
    this.messages.delete(message);
    if (this.messages.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private extend(now: number): void {
    for (const [message, dueAt] of this.messages) {
      if (dueAt > now) continue;
      this.messages.set(message, now + this.ackWaitMs / 3);
      this.report(message);
    }
  }
}

/** Waiting work is read ahead up to so many bytes; those of what is under way from the stream come on top. */
const MOST_BYTES = 64 * 1024 * 1024;
/** While much is still unread, work begins once for so much that was read: reading is cheap, and what others have may stand behind. */
const READ_FOR_EACH = 32;
const MOST_CREDIT = 16;
/** The part of what can be read ahead from which tenants with much waiting are put off. */
const CROWDED = 0.75;
/** Milliseconds after which what the stream has left is not coming: it may be held back, or read by another process. */
const READING_MS = 500;

interface Work {
  readonly tenantId: string;
  /** Work with the same key is done one after the other, in order. */
  readonly key: string | undefined;
  readonly bytes: number;
  /** Must not reject. @param shouldPutOff whether the tenant's waiting work keeps that of others from being read */
  readonly begin: (shouldPutOff: boolean) => Promise<void>;
}

/**
 * Does a limited amount of work concurrently, round robin by tenant. Much is read ahead, because the stream has one order for all
 * tenants: reading comes before beginning, and when no more can be read, tenants with much waiting are put off.
 */
export class OrderedSlots {
  private readonly shares: TenantShares;
  private readonly queue = new RoundRobin<Work>();
  /** What waits for earlier work with the same key, which is queued or runs. */
  private readonly partitions = new Map<string, Work[]>();
  private readonly running = new Set<Promise<void>>();
  private waiting = 0;
  private waitingBytes = 0;
  private isBehind = false;
  private readAt = 0;
  /** How much may begin before more is read, apart from one that may always run. */
  private credit = MOST_CREDIT;
  private capacityListeners: (() => void)[] = [];

  /** @param size work at the same time @param readAhead work that waits at most @param batch how much of it is read at a time */
  constructor(
    size: number,
    private readonly readAhead: number,
    private readonly batch: number,
  ) {
    this.shares = new TenantShares(size);
  }

  /** @param unread how much the stream has behind it */
  add(work: Work, unread: number): void {
    // Little is no reason to hold back work: while events keep coming, there is always some.
    this.isBehind = unread > this.batch / 2;
    this.readAt = Date.now();
    this.credit = this.isBehind ? Math.min(MOST_CREDIT, this.credit + 1 / READ_FOR_EACH) : MOST_CREDIT;
    this.waiting += 1;
    this.waitingBytes += work.bytes;
    const partition = work.key === undefined ? undefined : this.partitions.get(work.key);
    if (partition) partition.push(work);
    else {
      if (work.key !== undefined) this.partitions.set(work.key, []);
      this.queue.add(work.tenantId, work);
    }
    if (this.shares.mayBegin(work.tenantId)) this.serve();
  }

  /** Resolves when another batch can be read. */
  async waitForCapacity(): Promise<void> {
    while (!this.hasCapacity) {
      await new Promise<void>((resolve) => {
        this.capacityListeners.push(resolve);
      });
    }
  }

  /** Resolves when everything is done. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private get hasCapacity(): boolean {
    return this.waiting <= this.readAhead - this.batch && this.waitingBytes < MOST_BYTES;
  }

  /** Before nothing more can be read, so that reading goes on meanwhile. */
  private get isCrowded(): boolean {
    return this.waiting > CROWDED * this.readAhead || this.waitingBytes > CROWDED * MOST_BYTES;
  }

  private get isReading(): boolean {
    return this.isBehind && !this.isCrowded && Date.now() - this.readAt < READING_MS;
  }

  private serve(): void {
    const { isReading } = this;
    while (this.shares.free > 0) {
      if (isReading && this.credit < 1 && this.running.size > 0) return;
      const work = this.queue.take((tenantId) => this.shares.mayBegin(tenantId));
      if (!work) return;
      if (isReading) this.credit = Math.max(0, this.credit - 1);
      this.begin(work);
    }
  }

  private begin(work: Work): void {
    const shouldPutOff = this.isBehind && this.isCrowded && this.queue.hasFairShare(work.tenantId);
    this.shares.begun(work.tenantId);
    this.waiting -= 1;
    this.waitingBytes -= work.bytes;
    const run: Promise<void> = work.begin(shouldPutOff).finally(() => {
      this.running.delete(run);
      this.shares.ended(work.tenantId);
      if (work.key !== undefined) this.queueNext(work.key);
      this.serve();
    });
    this.running.add(run);
    if (this.hasCapacity) for (const listener of this.capacityListeners.splice(0)) listener();
  }

  private queueNext(key: string): void {
    const next = this.partitions.get(key)?.shift();
    if (next) this.queue.add(next.tenantId, next);
    else this.partitions.delete(key);
  }
}
