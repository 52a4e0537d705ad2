import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Dispatcher } from 'undici';
import { copyResponseHeaders } from './headers.js';

/** Bytes of an answer that are put together before they are sent on; a longer one is passed on as it comes. */
const COLLECTED_BYTES = 64 * 1024;
/** Methods that may be sent again when a kept connection turns out to be closed. */
const REPEATABLE = new Set(['GET', 'HEAD']);
/** A connection broke: undici's code for what the other side did to a socket. */
const BROKEN_CONNECTION = 'UND_ERR_SOCKET';

export interface ForwardedRequest {
  readonly method: string;
  /** With the query, as it came over the wire. */
  readonly path: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer | null;
}

/**
 * One request to a service and its answer. A short answer, which nearly all are, is sent in one piece: a stream for it
 * would cost more than the rest of the forwarding (decision record 0057).
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private attempts = 0;
  private answered = false;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  private chunks: Buffer[] = [];
  private collected = 0;
  private stream: Readable | undefined;

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly request: ForwardedRequest,
    private readonly reply: FastifyReply,
    private readonly onFailure: (error: Error) => void,
  ) {}

  start(): void {
    const { method, path, headers, body } = this.request;
    this.attempts += 1;
    this.dispatcher.dispatch({ method: method as Dispatcher.HttpMethod, path, headers, body }, this);
  }

  onRequestStart(): void {
    // undici tells this handler from one of its older kind by it.
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // An interim answer (RFC 9110, section 15.2): the final one follows.
    if (status < 200) return;
    this.answered = true;
    this.status = status;
    this.headers = headers;
    // Fastify would give a type to bytes without one.
    const untyped = headers['content-type'] === undefined && headers['content-length'] !== '0';
    const hasBody = this.request.method !== 'HEAD' && status !== 204 && status !== 304;
    if (hasBody && (untyped || Number(headers['content-length'] ?? 0) > COLLECTED_BYTES)) this.passOn(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.stream) {
      if (!this.stream.push(chunk)) controller.pause();
      return;
    }
    this.chunks.push(chunk);
    this.collected += chunk.length;
    if (this.collected > COLLECTED_BYTES) this.passOn(controller);
  }

  onResponseEnd(): void {
    if (this.stream) {
      this.stream.push(null);
      return;
    }
    // Of an answer without a body; Fastify would write null as JSON.
    const [only] = this.chunks;
    this.begin().send(this.chunks.length > 1 ? Buffer.concat(this.chunks) : only);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.stream) {
      this.stream.destroy(error);
    } else if (this.mayRepeat(error)) {
      this.start();
    } else {
      this.onFailure(error);
    }
  }

  /** Once more for a reading call to whose connection the service had said goodbye; never after it began to answer. */
  private mayRepeat(error: Error): boolean {
    const { method, body } = this.request;
    const isBroken = (error as { code?: unknown }).code === BROKEN_CONNECTION;
    return isBroken && !this.answered && this.attempts === 1 && REPEATABLE.has(method) && body === null;
  }

  /** From now on the client gets the answer as it comes, as fast as it reads it; if it goes away, so do we. */
  private passOn(controller: Dispatcher.DispatchController): void {
    const stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        controller.abort(error ?? new Error('The client has gone'));
        done(error);
      },
    });
    for (const chunk of this.chunks) stream.push(chunk);
    this.chunks = [];
    this.stream = stream;
    this.begin().send(stream);
  }

  private begin(): FastifyReply {
    const { reply } = this;
    copyResponseHeaders(this.headers, reply);
    // The connection cannot be used again before the request on it is read to its end.
    if (!reply.request.raw.complete) reply.header('connection', 'close');
    return reply.code(this.status);
  }
}
