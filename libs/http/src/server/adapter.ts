import { pooledRandom, type RequestContext } from '@crm/access';
import { TLS_SETTINGS } from '@crm/contracts';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { v7 } from 'uuid';
import { checkQueryText } from '../dto/dto.pipe.js';
import type { HttpConfig } from '../http-config.js';
import type { ProblemFilter } from '../problem/problem.filter.js';
import { DEFAULT_BODY_LIMIT } from '../route/route-settings.decorators.js';
import type { RouteSettings } from '../route/route-settings.js';
import { acceptJsonBodies } from './json-body.js';
import { type ReceiveRequest, receivesRequests } from './request-trace.js';
import { setSecurityHeaders } from './security-headers.js';

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
/**
 * Milliseconds for a handshake. Shorter than any drain, which waits for connections that have not begun to speak HTTP and cannot
 * tell them from busy ones.
 */
const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Characters of one path parameter. */
const MAX_PARAMETER_LENGTH = 512;

/** What a server presents, in PEM. */
export interface ServedKeyPair {
  readonly cert: string;
  readonly key: string;
}

/**
 * The HTTP server of a service: limits, request id, trace and request context; JSON bodies only.
 * @param certificate with it, HTTPS is spoken and nothing else
 */
export function createHttpAdapter(
  config: Pick<HttpConfig, 'name' | 'baseUrl' | 'trustedProxies'>,
  problems: ProblemFilter,
  certificate?: ServedKeyPair,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    ...(certificate && { https: tlsOptions(certificate) }),
    logger: false,
    bodyLimit: DEFAULT_BODY_LIMIT,
    ...CONNECTION_LIMITS,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    // Our own rule for accepting an id from outside; the option would take whatever is sent.
    requestIdHeader: false,
    genReqId: (request) => acceptedRequestId(request.headers['x-request-id']) ?? v7({ rng: pooledId }),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    frameworkErrors: (error, request, reply) => {
      problems.answer(error, request as FastifyRequest, reply as unknown as FastifyReply);
    },
    // No Express middleware is used anywhere.
    skipMiddie: true,
  } as ConstructorParameters<typeof FastifyAdapter>[0]);
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  acceptJsonBodies(instance);
  carryRequestContext(instance, receivesRequests(config.name));
  setSecurityHeaders(instance, config);
  instance.addHook('onRoute', (route) => {
    const { bodyLimit } = (route.config ?? {}) as RouteSettings;
    if (bodyLimit !== undefined) route.bodyLimit = bodyLimit;
  });
  return adapter as unknown as FastifyAdapter;
}

/** How a server speaks HTTPS with a certificate. */
export const tlsOptions = (certificate: ServedKeyPair) => ({
  ...TLS_SETTINGS,
  ...certificate,
  honorCipherOrder: true,
  handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
});

/** The random part of a request id. */
const pooledId = (): Uint8Array => pooledRandom(16);

function acceptedRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;
}

function carryRequestContext(instance: FastifyInstance, receive: ReceiveRequest): void {
  // Declared, so that all requests have one shape from the beginning.
  instance.decorateRequest('callContext', null as unknown as RequestContext);
  instance.decorateRequest('problemCode', undefined);
  instance.addHook('onRequest', (request, reply, done) => {
    request.callContext = { requestId: request.id, traceparent: receive(request, reply) };
    reply.header('x-request-id', request.id);
    done();
  });
  instance.addHook('preValidation', (request, _reply, done) => {
    try {
      checkQueryText(request.query);
      done();
    } catch (refusal) {
      done(refusal as Error);
    }
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, and the trace: what the work of this request passes on. */
    callContext: RequestContext;
  }
}
