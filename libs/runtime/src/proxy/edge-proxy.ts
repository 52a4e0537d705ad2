import type { Readable } from 'node:stream';
import { logMembers } from '@crm/access';
import { PlatformError, type ServiceName } from '@crm/contracts';
import { DRAINING, ProblemFilter } from '@crm/http';
import { type SpanDescription, startSpan } from '@crm/telemetry';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { acceptsGzip } from './exchange.js';
import { type PassedCookie, passedCookie, requestHeaders } from './forwarded-headers.js';
import type { ProxyConfig } from './proxy-config.js';
import type { UpstreamConnector } from './upstream-connector.js';
import { UpstreamPaused, Upstreams } from './upstreams.js';

export interface ForwardClass {
  /** Longest wait for the service, where it is shorter than that of every call. */
  readonly timeoutMs?: number;
  /** Answers hold records, and no secret whose length could be compared with what a caller chose (decision record 0174). */
  readonly compresses?: boolean;
  /** The one cookie that is forwarded both ways. */
  readonly passesCookie?: PassedCookie;
  /** What a reading call that waits for something is answered with when the edge drains; undefined for one that does not wait. */
  readonly nothingYet?: (query: URLSearchParams) => object | undefined;
}

export interface ForwardRoute {
  readonly upstream: ServiceName;
  readonly routeClass: ForwardClass;
}

export type ForwardedUrl = Pick<RouteOptions, 'method' | 'url' | 'config'>;

/** `admit` refuses a request, or sets its `forwardRoute` and, for one with a body, its `mostBodyBytes`. */
@Injectable()
export abstract class EdgeProxy implements OnModuleInit {
  private readonly logger = new Logger('EdgeProxy');
  private readonly problems: ProblemFilter;
  private readonly upstreams: Upstreams;
  private readonly timeoutMs: number;
  /** Ends the wait of each call whose answer waits for something. */
  private readonly waits = new Set<() => void>();

  /** @param prefix put in front of the path of every request */
  constructor(
    private readonly adapters: HttpAdapterHost,
    connector: UpstreamConnector,
    { service, upstreams, upstreamTimeoutMs }: ProxyConfig,
    private readonly prefix = '',
  ) {
    this.problems = new ProblemFilter(service.baseUrl);
    this.timeoutMs = upstreamTimeoutMs;
    this.upstreams = new Upstreams(upstreams, connector, upstreamTimeoutMs);
  }

  protected abstract routes(): readonly ForwardedUrl[];

  /** At once, or by a promise: whatever throws does so before the promise is made, or in it. @throws PlatformError the refusal */
  protected abstract admit(request: FastifyRequest, reply: FastifyReply): void | Promise<void>;

  /** Called when the answer has been sent, so that a failure is only logged. */
  protected settle(_request: FastifyRequest, _reply: FastifyReply): undefined | Promise<unknown> {
    return undefined;
  }

  async onModuleInit(): Promise<void> {
    const instance = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    // Declared, so that all requests have one shape from the beginning.
    instance.decorateRequest('forwardRoute', undefined);
    instance.decorateRequest('mostBodyBytes', 0);
    await instance.register(async (scope) => this.installRoutes(scope));
  }

  private installRoutes(scope: FastifyInstance): void {
    // A body is forwarded unchanged; the service decides whether it is JSON.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request, payload, done) => readBody(payload, request.mostBodyBytes, done));
    scope.setErrorHandler((error, request, reply) => {
      this.problems.answer(error, request, reply);
    });
    // Most requests are admitted without a promise; an async hook would make one for each of them.
    scope.addHook('onRequest', (request, reply, done) => {
      const pending = this.admit(request, reply);
      // Caught behind `done` as well, which runs what follows: Fastify does so where it is called at once.
      if (pending) pending.then(() => done()).catch(done);
      else done();
    });
    scope.addHook('onResponse', (request, reply, done) => {
      const missed = (err: unknown): void => {
        this.logger.error({ ...logMembers(request.callContext), msg: 'An answer was not settled', err });
        done();
      };
      // The answer has gone: Fastify would drop the error, and with it what the hooks of the route do.
      let settled: undefined | Promise<unknown>;
      try {
        settled = this.settle(request, reply);
      } catch (error) {
        missed(error);
        return;
      }
      if (settled) settled.then(() => done(), missed);
      else done();
    });
    scope.server.once(DRAINING, () => {
      for (const end of this.waits) end();
    });
    scope.addHook('onClose', () => this.upstreams.close());
    for (const route of this.routes()) {
      // Returns nothing: Fastify would await a returned reply, and nothing here depends on when it is sent.
      const handler = (request: FastifyRequest, reply: FastifyReply): void => this.forward(request, reply);
      scope.route({ ...route, handler });
    }
  }

  private forward(request: FastifyRequest, reply: FastifyReply): void {
    const { method, callContext } = request;
    const { upstream, routeClass } = request.forwardRoute as ForwardRoute;
    const body = (request.body as Buffer | undefined) ?? null;
    const span = startSpan(callContext.traceparent, describeForwarding, { method, upstream });
    const headers = requestHeaders(request.headers, {
      requestId: request.id,
      traceparent: span?.traceparent ?? callContext.traceparent,
      address: request.ip,
      protocol: request.protocol,
      host: request.headers.host,
      hasBody: body !== null,
    });
    const { passesCookie } = routeClass;
    if (passesCookie) headers.cookie = passedCookie(passesCookie, request.headers.cookie);
    const timeoutMs = routeClass.timeoutMs && Math.min(routeClass.timeoutMs, this.timeoutMs);
    const compression =
      routeClass.compresses && method === 'GET' ? compressionFor(request.headers['accept-encoding']) : undefined;
    const forwarded = {
      method,
      path: this.prefix + (request.raw.url as string),
      headers,
      body,
      span,
      timeoutMs,
      compression,
      passesCookie,
    };
    const exchange = this.upstreams.forward(upstream, forwarded, reply, (error) =>
      this.problems.answer(asUnavailable(error), request, reply),
    );
    const nothing = method === 'GET' ? routeClass.nothingYet?.(queryOf(request)) : undefined;
    if (!exchange || !nothing) return;
    const end = (): void => {
      if (!reply.sent && exchange.abandon()) reply.send(nothing);
    };
    this.waits.add(end);
    reply.raw.once('close', () => this.waits.delete(end));
    // It has come while the edge was beginning to drain.
    if (!reply.server.server.listening) end();
  }
}

const MEBIBYTE = 1024 * 1024;
/** Seconds that a body of any length has: time for a lost packet. */
const LEAST_SECONDS = 2;
/** Further seconds for each MiB that is announced: a slow mobile network sends that much. */
const SECONDS_PER_MEBIBYTE = 3;

/** Whole seconds, so that the timers of most bodies share a list. */
export const deadlineMs = (bytes: number): number =>
  1000 * (LEAST_SECONDS + Math.ceil((SECONDS_PER_MEBIBYTE * bytes) / MEBIBYTE));

/**
 * Chunks announce nothing, so they are counted.
 * @param done called once: with the body, or PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT after `deadlineMs(most)`, MALFORMED_REQUEST
 */
export function readBody(payload: Readable, most: number, done: (error: Error | null, body?: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = (error: Error | null): void => {
    clearTimeout(deadline);
    payload.off('data', onData);
    payload.off('end', onEnd);
    payload.off('close', onClose);
    // What still arrives after an error is thrown away until the connection is closed, which follows the answer.
    if (error) done(error);
    else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes));
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > most) finish(new PlatformError('PAYLOAD_TOO_LARGE'));
    else chunks.push(chunk);
  };
  const onEnd = (): void => finish(null);
  const onClose = (): void => finish(new PlatformError('MALFORMED_REQUEST', 'The request body ended early'));
  const deadline = setTimeout(() => finish(new PlatformError('REQUEST_TIMEOUT')), deadlineMs(most));
  payload.on('data', onData);
  payload.on('end', onEnd);
  payload.on('close', onClose);
  // It is closed after an error.
  payload.on('error', () => undefined);
}

/** A request on its way to a service. Its path may have the secret of a hook, so that it is not part of this. */
const describeForwarding = ({ method, upstream }: { method: string; upstream: ServiceName }): SpanDescription => ({
  name: `${method} ${upstream}`,
  kind: 'client',
  attributes: { 'http.request.method': method, 'server.address': upstream },
});

/** Throws nothing, so that it can be asked at any moment of an admission. @param inChunks bytes of a body that announces none */
export function announcedBytes({ headers }: FastifyRequest, inChunks: number): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : inChunks;
}

const compressionFor = (accepted: string | string[] | undefined): 'gzip' | 'not accepted' =>
  acceptsGzip(accepted) ? 'gzip' : 'not accepted';

/** The path as received, without its query. */
export function pathOf(request: FastifyRequest): string {
  const url = request.raw.url ?? '';
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams((request.raw.url ?? '').slice(pathOf(request).length));

/** Escapes of `/` `\` `%` and of control characters. */
const AMBIGUOUS_ESCAPE = /%(?:2f|5c|25|[01][0-9a-f]|7f)/i;
/** Escapes of characters that need none: letters, digits, `-` `.` `_` `~`. No client writes them but to look different. */
const NEEDLESS_ESCAPE = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i;
/** Empty and dot segments, and those that begin or end with two dots: a server may drop what follows a semicolon. */
const AMBIGUOUS_SEGMENT = /\/\.?\/|\/\.$|\/\.\.|\.\.\//;

/**
 * Returns whether two servers could read the path differently. It is refused and not normalised, so that what an edge routes on
 * and what the service sees are the same bytes.
 */
export function isAmbiguous(path: string): boolean {
  if (!path.startsWith('/') || /[\\#\s]/.test(path) || AMBIGUOUS_SEGMENT.test(path)) return true;
  return path.includes('%') && (AMBIGUOUS_ESCAPE.test(path) || NEEDLESS_ESCAPE.test(path));
}

/** Codes of undici for a service that does not answer in time. */
const LATE: readonly unknown[] = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

function asUnavailable(error: Error): PlatformError {
  if (error instanceof UpstreamPaused) {
    return new PlatformError('SERVICE_UNAVAILABLE', undefined, {
      retryAfterSeconds: error.waitMs / 1000,
      cause: error,
    });
  }
  const isLate = LATE.includes((error as { code?: unknown }).code);
  return new PlatformError(isLate ? 'DEADLINE_EXCEEDED' : 'SERVICE_UNAVAILABLE', undefined, {
    retryAfterSeconds: 2,
    cause: error,
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request goes; set when it is admitted. */
    forwardRoute?: ForwardRoute;
    /** Bytes that its body may have; set when it is admitted. */
    mostBodyBytes: number;
  }
}
