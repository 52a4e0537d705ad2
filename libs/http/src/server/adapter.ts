import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { pooledRandom, type RequestContext } from '@crm/access';
import {
  AUDIENCES,
  type Audience,
  isEdge,
  OPERATORS_PREFIX,
  PlatformError,
  type ServiceName,
  TLS_SETTINGS,
} from '@crm/contracts';
import { enterTrace, resample, type Span, type SpanDescription } from '@crm/telemetry';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { checkPathText, checkQueryText } from '../dto/dto.pipe.js';
import { refuseBadBody, refuseHugeBody } from '../dto/json-value.js';
import type { ProblemFilter } from '../problem/problem.filter.js';
import { DEFAULT_BODY_LIMIT, type RouteSettings } from '../route/route.decorators.js';
import { nameClients, nameForwarded } from './client-address.js';
import { answerProblems, clientErrorHandler, requireOneHost } from './unrouted.js';

/** How often connections that fell idle are looked for while draining, in milliseconds. */
const IDLE_SWEEP_MS = 25;

/** What a server emits when it begins to drain: anyone who holds a request that may wait for long ends the wait. */
export const DRAINING = 'crm:draining';

/** Accepts no more connections and waits for requests; after the limit the rest is cut off. */
export async function drainServer(server: Server, limitMs: number): Promise<void> {
  if (!server.listening) return;
  // close() ends the connections that are idle now; those that a request leaves idle later would keep it waiting.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const limit = setTimeout(() => server.closeAllConnections(), limitMs);
  try {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.emit(DRAINING);
    });
  } finally {
    clearInterval(sweep);
    clearTimeout(limit);
  }
}

const FORM = 'application/x-www-form-urlencoded';

/** Other types are answered by 415, members named `__proto__` and `constructor.prototype` refused; an empty body is none. */
function acceptJsonBodies(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  const parse = instance.getDefaultJsonParser('error', 'error');
  instance.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') {
      done(null, undefined);
      return;
    }
    try {
      refuseHugeBody(text as string);
    } catch (refusal) {
      done(refusal as Error);
      return;
    }
    parse(request, text as string, (error, body) => {
      if (error) {
        done(error);
        return;
      }
      try {
        refuseBadBody(text as string, body);
        done(null, body);
      } catch (refusal) {
        done(refusal as Error);
      }
    });
  });
  instance.addContentTypeParser(FORM, { parseAs: 'string' }, (request, text, done) => {
    const { formBody } = (request.routeOptions.config ?? {}) as RouteSettings;
    if (formBody) done(null, text);
    else done(new PlatformError('UNSUPPORTED_MEDIA_TYPE'));
  });
}

/** Receives a request in its trace: returns the traceparent of the work that it causes. */
type ReceiveRequest = (request: FastifyRequest, reply: FastifyReply) => string;

/** @param service at an edge the sender is a stranger, who does not decide what is recorded */
export function receivesRequests(service: ServiceName): ReceiveRequest {
  const isStranger = isEdge(service);
  return (request, reply) => {
    const header = request.headers.traceparent;
    const sent = typeof header === 'string' ? header : undefined;
    const { traceparent, span } = enterTrace(isStranger ? resample(sent) : sent, describeRequest, request);
    // Emitted once, also when the client goes away before the answer, for which Fastify runs no hook.
    if (span) reply.raw.once('close', () => endRequest(span, request, reply));
    return traceparent;
  };
}

/** Named for its route: paths have ids, names that tenants have chosen, and the secrets of hooks. */
function describeRequest({ method, protocol, routeOptions }: FastifyRequest): SpanDescription {
  const route = routeOptions.url;
  return {
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'url.scheme': protocol,
      ...(route !== undefined && { 'http.route': route }),
    },
  };
}

function endRequest(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode } = reply;
  if (!reply.raw.writableFinished) span.set('error.type', 'client_closed_connection');
  else {
    span.set('http.response.status_code', statusCode);
    if (statusCode >= 500) span.fail(request.problemCode ?? String(statusCode));
    else if (request.problemCode !== undefined) span.set('error.type', request.problemCode);
  }
  span.end();
}

const REQUEST_ID = /^[\w.-]{1,128}$/;
/** Milliseconds. */
export const CONNECTION_LIMITS = {
  /** For sending a request; slower clients hold a connection for nothing. */
  requestTimeout: 30_000,
  /** For which a connection may be silent while a request is worked on. */
  connectionTimeout: 120_000,
  /** Longer than the idle time of common load balancers (60 s), so that the balancer is the one to close. */
  keepAliveTimeout: 72_000,
};
/** Shorter than any drain, which cannot tell connections in a handshake from busy ones. */
const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Characters of one path parameter. */
const MAX_PARAMETER_LENGTH = 512;

export interface ServedKeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Limits, request id, trace and request context; JSON bodies only. @param certificate with it, HTTPS is spoken alone */
export function createHttpAdapter(
  config: Pick<HttpConfig, 'name' | 'baseUrl' | 'trustedProxies'>,
  problems: ProblemFilter,
  certificate?: ServedKeyPair,
): FastifyAdapter {
  const headers = securityHeaders(config);
  const adapter = new FastifyAdapter({
    ...(certificate ? { https: { ...tlsOptions(certificate), ...SERVER } } : { http: SERVER }),
    logger: false,
    bodyLimit: DEFAULT_BODY_LIMIT,
    ...CONNECTION_LIMITS,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    // Only ids of edges are accepted: a client could choose the id of another call.
    requestIdHeader: false,
    genReqId: ({ headers }) => (isEdge(config.name) ? undefined : acceptedRequestId(headers)) ?? v7({ rng: pooledId }),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // No hook runs before these.
    frameworkErrors: (error, request, reply) => {
      if (headers) reply.headers(headers);
      reply.header('x-request-id', request.id);
      problems.answer(error, request as FastifyRequest, reply as unknown as FastifyReply);
    },
    clientErrorHandler: clientErrorHandler(config.baseUrl, headers),
    // No Express middleware is used anywhere.
    skipMiddie: true,
  } as ConstructorParameters<typeof FastifyAdapter>[0]);
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  nameClients(instance.server, certificate !== undefined);
  answerProblems(instance, problems);
  // Nest sets its own after modules have registered routes, which keep what is there then.
  adapter.setErrorHandler = () => adapter.getInstance();
  adapter.setNotFoundHandler = () => adapter.getInstance();
  acceptJsonBodies(instance);
  // First, because what is refused has them too.
  setSecurityHeaders(instance, config);
  carryRequestContext(instance, config.name);
  instance.addHook('onRoute', (route) => {
    const { bodyLimit } = (route.config ?? {}) as RouteSettings;
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  return adapter as unknown as FastifyAdapter;
}

/** A missing Host header is answered as a problem, by `requireOneHost`. */
const SERVER = { requireHostHeader: false };

export const tlsOptions = (certificate: ServedKeyPair) => ({
  ...TLS_SETTINGS,
  ...certificate,
  honorCipherOrder: true,
  handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
});

const pooledId = (): Uint8Array => pooledRandom(16);

function acceptedRequestId({ 'x-request-id': header }: IncomingHttpHeaders): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;
}

function carryRequestContext(instance: FastifyInstance, service: ServiceName): void {
  const receive = receivesRequests(service);
  const clientRequestIdOf = isEdge(service) ? acceptedRequestId : () => undefined;
  // Declared, so that all requests have one shape from the beginning.
  instance.decorateRequest('callContext', null as unknown as RequestContext);
  instance.decorateRequest('problemCode', undefined);
  instance.addHook('onRequest', (request, reply, done) => {
    const clientRequestId = clientRequestIdOf(request.headers);
    request.callContext = { requestId: request.id, clientRequestId, traceparent: receive(request, reply) };
    reply.header('x-request-id', clientRequestId ?? request.id);
    requireOneHost(request.raw);
    nameForwarded(request.headers);
    done();
  });
  instance.addHook('preValidation', (request, _reply, done) => {
    checkQueryText(request.query);
    checkPathText(request.params);
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, and the trace: what the work of this request passes on. */
    callContext: RequestContext;
  }
}

export interface HttpConfig {
  readonly name: ServiceName;
  /** Public address of the gateway; error codes are explained below it. */
  readonly baseUrl: string;
  /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
}

export const HTTP_CONFIG = Symbol('crm:http-config');

/**
 * An answer must not be run, framed, sniffed or stored; `default-src` does not cover `base-uri` and `form-action`.
 * `no-store`: no call asks by `If-None-Match`, so a stored copy would only lie on a disk after the sign-out.
 */
const HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Two years, as browsers' preload lists require. */
const HSTS = 'max-age=63072000; includeSubDomains';

/** The headers of every answer at a public address; undefined for a service behind the gateway, which sets them. */
export function securityHeaders({
  name,
  baseUrl,
}: Pick<HttpConfig, 'name' | 'baseUrl'>): Record<string, string> | undefined {
  if (!isEdge(name)) return undefined;
  const headers = { ...HEADERS };
  // Its page is there to be framed, by the origins that the page's own policy names; this header can name none.
  if (name === 'embed-gateway') delete headers['x-frame-options'];
  if (baseUrl.startsWith('https:')) headers['strict-transport-security'] = HSTS;
  return headers;
}

/** Sets them on every answer of a server at a public address, also on that of an unknown path. */
export function setSecurityHeaders(instance: FastifyInstance, config: Pick<HttpConfig, 'name' | 'baseUrl'>): void {
  const headers = securityHeaders(config);
  if (!headers) return;
  instance.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

const AUDIENCE: readonly Audience[] = [AUDIENCES.admin];

/**
 * Which server a request came by says who calls, and nothing in the request does: routes below OPERATORS_PREFIX answer
 * here alone, with operators' tokens, all others at the other port. Call it before the routes are registered.
 */
export function operatorsServer(
  instance: FastifyInstance,
  { baseUrl }: Pick<HttpConfig, 'baseUrl'>,
  certificate?: ServedKeyPair,
): Server {
  const calls = new WeakSet<IncomingMessage>();
  // Declared, so that all requests have one shape from the beginning.
  instance.decorateRequest('audiences', undefined);
  instance.addHook('onRequest', (request, _reply, done) => {
    const isOperators = calls.has(request.raw);
    // The route and not the path, which can be spelled in several ways.
    const isTheirs = request.routeOptions.url?.startsWith(`${OPERATORS_PREFIX}/`) === true;
    if (isOperators) request.audiences = AUDIENCE;
    if (isOperators === isTheirs) done();
    else done(new PlatformError('NOT_FOUND'));
  });
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    calls.add(request);
    instance.routing(request, response);
  };
  const { requestTimeout, connectionTimeout, keepAliveTimeout } = CONNECTION_LIMITS;
  const limits = { requestTimeout, keepAliveTimeout };
  const server = certificate
    ? createTlsServer({ ...limits, ...SERVER, ...tlsOptions(certificate) }, listener)
    : createServer({ ...limits, ...SERVER }, listener);
  server.on('clientError', clientErrorHandler(baseUrl));
  nameClients(server, certificate !== undefined);
  server.setTimeout(connectionTimeout);
  return server;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Audiences of which the token may be; default: those of the service. */
    audiences?: readonly Audience[];
  }
}
