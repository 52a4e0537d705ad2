import type { RpcContract } from '@crm/contracts';
import { createInbox, errors, type Msg, type NatsConnection } from '@nats-io/nats-core';
import { MAX_PARTS } from '../broker-names.js';
import type { BatchedCall, BatchedReply, Reply } from './wire.js';

/** Three bytes a character at most, so that a message stays below the broker's limit of 1 MiB. */
const MAX_CHARACTERS = 256 * 1024;

/** What is collected in one turn of the event loop, handed on in portions that fit one message each. */
export class Batch<Part extends { readonly text: string }> {
  private parts: Part[] = [];

  constructor(private readonly send: (portion: readonly Part[]) => void) {}

  add(part: Part): void {
    this.parts.push(part);
    if (this.parts.length === 1) setImmediate(() => this.flush());
  }

  /** Hands on what is there, without waiting for the end of the turn. */
  flush(): void {
    const parts = this.parts;
    if (parts.length === 0) return;
    this.parts = [];
    let first = 0;
    let characters = 0;
    for (const [index, { text }] of parts.entries()) {
      if (index > first && (index - first === MAX_PARTS || characters + text.length > MAX_CHARACTERS)) {
        this.send(parts.slice(first, index));
        first = index;
        characters = 0;
      }
      characters += text.length;
    }
    this.send(parts.slice(first));
  }
}

export const arrayOf = (parts: readonly { readonly text: string }[]): string =>
  `[${parts.map(({ text }) => text).join(',')}]`;

interface Call {
  readonly text: string;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

interface SentBatch {
  readonly calls: Map<number, Call>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Calls of one contract in one turn of the event loop are one message, whose overhead they share. None waits for
 * another: each reply is sent as soon as it is there, with those that are ready in the same turn.
 */
export class BatchedCalls {
  private readonly waiting = new Batch<Call>((calls) => this.send(calls));
  private readonly sent = new Map<string, SentBatch>();
  private readonly inbox: string;
  private count = 0;

  constructor(
    private readonly connection: NatsConnection,
    private readonly contract: RpcContract,
    inboxPrefix: string,
  ) {
    this.inbox = createInbox(inboxPrefix);
    connection.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (!error) this.receive(message);
      },
    });
    void connection.closed().then(() => {
      for (const id of this.sent.keys()) this.fail(id, new errors.ClosedConnectionError());
    });
  }

  /** @throws TimeoutError, NoRespondersError, ClosedConnectionError, InvalidArgumentError (too large) of the NATS client */
  call(call: BatchedCall): Promise<Reply> {
    const text = JSON.stringify(call);
    return new Promise((resolve, reject) => this.waiting.add({ text, resolve, reject }));
  }

  private send(calls: readonly Call[]): void {
    this.count += 1;
    const id = this.count.toString(36);
    const timer = setTimeout(() => this.fail(id, new errors.TimeoutError()), this.contract.timeoutMs);
    this.sent.set(id, { calls: new Map(calls.entries()), timer });
    try {
      this.connection.publish(this.contract.subject, arrayOf(calls), { reply: `${this.inbox}.${id}` });
    } catch (error) {
      this.fail(id, error);
    }
  }

  private receive(message: Msg): void {
    const id = message.subject.slice(this.inbox.length + 1);
    const batch = this.sent.get(id);
    // Replies after the deadline.
    if (!batch) return;
    if (message.data.length === 0 && message.headers?.code === 503) {
      this.fail(id, new errors.NoRespondersError(this.contract.subject));
      return;
    }
    const replies = message.json<readonly BatchedReply[] | Reply>();
    for (const [position, reply] of isBatch(replies) ? replies : refusedAll(batch, replies)) {
      batch.calls.get(position)?.resolve(reply);
      batch.calls.delete(position);
    }
    if (batch.calls.size === 0) this.forget(id, batch);
  }

  private fail(id: string, error: unknown): void {
    const batch = this.sent.get(id);
    if (!batch) return;
    this.forget(id, batch);
    for (const call of batch.calls.values()) call.reject(error);
  }

  private forget(id: string, { timer }: SentBatch): void {
    clearTimeout(timer);
    this.sent.delete(id);
  }
}

const isBatch = (replies: readonly BatchedReply[] | Reply): replies is readonly BatchedReply[] =>
  Array.isArray(replies);

/** A server that does not accept the message refuses it as a whole. */
const refusedAll = ({ calls }: SentBatch, refusal: Reply): readonly BatchedReply[] =>
  [...calls.keys()].map((position) => [position, refusal]);
