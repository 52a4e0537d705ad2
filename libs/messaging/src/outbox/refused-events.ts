import type { RefusedEvent } from '@crm/database';
import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/nats-core';

/** About the account or stream (`server/errors.json`): resources used up, subject taken by another stream, stream sealed. */
const ABOUT_THE_STREAM = new Set([10_002, 10_060, 10_109]);

/**
 * Returns whether the broker refuses the event itself, so that waiting does not help. Trouble that passes, such as no answer, a
 * lost connection, an unavailable stream (503) or no storage (500), never counts against an event.
 */
export function isRefusal(error: Error): boolean {
  if (error instanceof errors.PermissionViolationError) return error.operation === 'publish';
  if (error instanceof JetStreamApiError) {
    return error.status >= 400 && error.status < 500 && !ABOUT_THE_STREAM.has(error.code);
  }
  // Thrown by the client: what exceeds the server's max_payload, and a subject that is none.
  return error instanceof errors.InvalidArgumentError || error instanceof errors.InvalidSubjectError;
}

interface Waiting extends RefusedEvent {
  readonly dueAt: number;
  /** How many events the broker had accepted when this one was refused first. */
  readonly acceptedBefore: number;
}

interface RefusedEventsOptions {
  /** Milliseconds before each further try; after the last one an event is given up. */
  delaysMs: readonly number[];
  limit: number;
}

/**
 * Refused events that wait for another try. When too many wait, the oldest are given up early, but only if the broker
 * has accepted events meanwhile: one that refuses everything is misconfigured, and waiting may help.
 */
export class RefusedEvents {
  private readonly events = new Map<number, Waiting>();
  private accepted = 0;

  constructor(private readonly options: RefusedEventsOptions) {}

  get size(): number {
    return this.events.size;
  }

  get isFull(): boolean {
    return this.events.size >= this.options.limit;
  }

  has(seq: number): boolean {
    return this.events.has(seq);
  }

  accept(count: number): void {
    this.accepted += count;
  }

  refuse({ seq, id }: Pick<RefusedEvent, 'seq' | 'id'>, reason: string, now: number): void {
    const before = this.events.get(seq);
    const tries = (before?.tries ?? 0) + 1;
    const delay = this.options.delaysMs[tries - 1] ?? 0;
    const acceptedBefore = before?.acceptedBefore ?? this.accepted;
    this.events.set(seq, { seq, id, reason, tries, dueAt: now + delay, acceptedBefore });
  }

  due(now: number, limit: number): number[] {
    const due = [...this.events.values()].filter(({ dueAt }) => dueAt <= now).map(({ seq }) => seq);
    return due.sort((left, right) => left - right).slice(0, limit);
  }

  /** Milliseconds until the next try is due; infinite when nothing waits. */
  nextInMs(now: number): number {
    return Math.max(0, Math.min(...[...this.events.values()].map(({ dueAt }) => dueAt - now)));
  }

  /** Given up: they had all their tries, or there are too many. */
  hopeless(): RefusedEvent[] {
    const { delaysMs, limit } = this.options;
    const waiting = [...this.events.values()];
    const surplus = waiting.slice(0, Math.max(0, waiting.length - Math.floor(limit / 2)));
    const isEarly = new Set(this.isFull ? surplus.filter((event) => event.acceptedBefore < this.accepted) : []);
    return waiting.filter((event) => event.tries > delaysMs.length || isEarly.has(event));
  }

  forget(seqs: readonly number[]): void {
    for (const seq of seqs) this.events.delete(seq);
  }
}
