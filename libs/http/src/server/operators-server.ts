import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { AUDIENCES, type Audience, OPERATORS_PREFIX, PlatformError } from '@crm/contracts';
import type { FastifyInstance } from 'fastify';
import { CONNECTION_LIMITS, type ServedKeyPair, tlsOptions } from './adapter.js';

const AUDIENCE: readonly Audience[] = [AUDIENCES.admin];

/**
 * Which server a request came by says who calls, and nothing in the request does: routes below OPERATORS_PREFIX answer
 * here alone, with operators' tokens, all others at the other port. Call it before the routes are registered.
 */
export function operatorsServer(instance: FastifyInstance, certificate?: ServedKeyPair): Server {
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
    ? createTlsServer({ ...limits, ...tlsOptions(certificate) }, listener)
    : createServer(limits, listener);
  server.setTimeout(connectionTimeout);
  return server;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Audiences of which the token may be; default: those of the service. */
    audiences?: readonly Audience[];
  }
}
