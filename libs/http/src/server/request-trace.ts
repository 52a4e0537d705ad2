import { isEdge, type ServiceName } from '@crm/contracts';
import { arrive, type Span, type SpanDescription, sampleAnew } from '@crm/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Receives a request in its trace: returns the traceparent of the work that it causes. */
export type ReceiveRequest = (request: FastifyRequest, reply: FastifyReply) => string;

/** @param service at an edge the sender is a stranger, who does not decide what is recorded */
export function receivesRequests(service: ServiceName): ReceiveRequest {
  const isStranger = isEdge(service);
  return (request, reply) => {
    const header = request.headers.traceparent;
    const sent = typeof header === 'string' ? header : undefined;
    const { traceparent, span } = arrive(isStranger ? sampleAnew(sent) : sent, describeRequest, request);
    // Emitted once, also when the client goes away before the answer, for which Fastify runs no hook.
    if (span) reply.raw.once('close', () => endRequest(span, request, reply));
    return traceparent;
  };
}

/** By its route: paths have ids, names that tenants have chosen, and the secrets of hooks. */
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
