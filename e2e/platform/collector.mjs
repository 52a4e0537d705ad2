import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * A span as a service has sent it.
 * @typedef {object} ReceivedSpan
 * @property {string} service
 * @property {string} version of the service
 * @property {string} name
 * @property {number} kind of OTLP: 1 internal, 2 server, 3 client, 4 producer, 5 consumer
 * @property {string} traceId
 * @property {string} spanId
 * @property {string | undefined} parentId
 * @property {boolean} isFailed
 * @property {Record<string, unknown>} attributes
 */

/**
 * Receives traces in place of an OpenTelemetry collector (OTLP over HTTP, JSON), and shows them: `GET /spans`, all or those
 * of one trace (`?trace=`).
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export async function startCollector() {
  /** @type {ReceivedSpan[]} */
  const spans = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://collector');
    if (request.method === 'POST' && pathname === '/v1/traces') {
      spans.push(...spansOf(/** @type {any} */ (await json(request))));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const trace = searchParams.get('trace');
    const shown = trace === null ? spans : spans.filter(({ traceId }) => traceId === trace);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * @param {any} body of an export
 * @returns {ReceivedSpan[]}
 */
function spansOf({ resourceSpans }) {
  return resourceSpans.flatMap((/** @type {any} */ { resource, scopeSpans }) => {
    const { 'service.name': service, 'service.version': version } = valuesOf(resource.attributes);
    return scopeSpans.flatMap((/** @type {any} */ scope) =>
      scope.spans.map((/** @type {any} */ span) => ({
        service,
        version,
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentId: span.parentSpanId || undefined,
        isFailed: span.status?.code === 2,
        attributes: valuesOf(span.attributes),
      })),
    );
  });
}

/**
 * @param {any[]} attributes
 * @returns {Record<string, unknown>}
 */
const valuesOf = (attributes) => Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
