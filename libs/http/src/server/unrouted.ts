import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, OPERATORS_PREFIX, PlatformError } from '@crm/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ProblemFilter } from '../problem/problem.filter.js';
import { problemHeaders, toProblem } from '../problem/problem.js';

/** The methods of every path that a server has, by the pattern of its routes. */
class KnownPaths {
  private readonly byUrl = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  add(url: string, methods: readonly string[]): void {
    // Those of operators answer at another port, where they are not called by their own paths.
    if (url.startsWith(`${OPERATORS_PREFIX}/`)) return;
    const known = this.byUrl.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const method of methods) known.methods.add(method);
    this.byUrl.set(url, known);
  }

  methodsOf(path: string): readonly string[] {
    const found = [...this.byUrl.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** Matches what the router does: a parameter is a segment, a star the rest. */
const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace(/\*/g, '.*')}$`,
  );

/** What no handler answers is a problem as well. Must be called before the first route is added. */
export function answerProblems(instance: FastifyInstance, problems: ProblemFilter): void {
  instance.setErrorHandler((error, request, reply) => problems.answer(error, request, reply));
  instance.setNotFoundHandler((request, reply) => problems.answer(withoutRoute(request), request, reply));
  const paths = new KnownPaths();
  instance.decorate('knownPaths', paths);
  instance.addHook('onRoute', ({ url, method }) => paths.add(url, [method].flat()));
}

/** What a request that no route matches is answered: METHOD_NOT_ALLOWED where its path has other methods, or NOT_FOUND. */
export function withoutRoute({ server, raw: { url = '' } }: FastifyRequest): PlatformError {
  const allow = server.knownPaths.methodsOf(url.split(/[?#]/, 1)[0] as string);
  return allow.length > 0
    ? new PlatformError('METHOD_NOT_ALLOWED', `Allowed: ${allow.join(', ')}`, { allow })
    : new PlatformError('NOT_FOUND');
}

/**
 * Two could be read differently by two servers, and HTTP/1.1 has exactly one (RFC 9112, section 3.2). Node would answer
 * a missing one itself, without a body.
 * @throws PlatformError MALFORMED_REQUEST
 */
export function requireOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersionMinor === 1)) {
    throw new PlatformError('MALFORMED_REQUEST', 'Send exactly one Host header');
  }
}

/** Codes of Node for what arrives and is no request; any other is MALFORMED_REQUEST. */
const CLIENT_ERRORS: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
};

/**
 * Answers what is no request, and ends its connection.
 * @param headers of every answer of the server
 */
export function clientErrorHandler(baseUrl: string, headers: Readonly<Record<string, string>> = {}) {
  return (error: Error & { code?: string }, socket: Duplex): void => {
    const begun = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent;
    if (error.code !== 'ECONNRESET' && socket.writable && !begun) {
      const problem = new PlatformError(CLIENT_ERRORS[error.code ?? ''] ?? 'MALFORMED_REQUEST');
      const body = JSON.stringify(toProblem(problem, baseUrl));
      const all = {
        ...headers,
        ...problemHeaders(problem, false),
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`);
    }
    socket.destroy(error);
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    knownPaths: { methodsOf(path: string): readonly string[] };
  }
}
