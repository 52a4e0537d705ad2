import type { RequestContext } from '@crm/access';
import { shownPath } from '@crm/http';
import type { LoggerService } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import type { ServiceConfig } from '../configuration/service-config.js';

/** A buffered line is written within these milliseconds, so that `kill -9` loses less than 100 ms even by a slow write. */
const FLUSH_MS = 50;
/** Number of buffered bytes that causes a write before that time. */
const BUFFERED = 16 * 1024;
/** Maximum bytes of one write; must be larger than the buffer for the destination. */
const LARGEST_WRITE = 64 * 1024;
/** Milliseconds that a shutdown waits for a blocked reader of the log. */
const FLUSH_TIMEOUT_MS = 2000;

type LogOutput = ReturnType<typeof pino.destination>;

let output: LogOutput | undefined;

/** Lines are written together by a thread, so no request waits (decision record 0054); two would interleave them. */
export function logOutput(): LogOutput {
  output ??= openOutput();
  return output;
}

/** Lines are bytes: sonic-boom measures waiting texts anew with every line, which copies 8 KiB for a line of 400 bytes. */
function openOutput(): LogOutput {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFERED,
    maxWrite: LARGEST_WRITE,
    periodicFlush: FLUSH_MS,
    contentMode: 'buffer',
  });
  const writeBytes = destination.write.bind(destination) as unknown as (bytes: Buffer) => boolean;
  // pino hands over texts.
  destination.write = (line) => writeBytes(Buffer.from(line));
  return destination;
}

/** Resolves when every logged line is written, after two seconds at the latest. */
export async function flushLog(): Promise<void> {
  const log = output;
  if (!log) return;
  await new Promise<void>((resolve) => {
    const limit = setTimeout(resolve, FLUSH_TIMEOUT_MS);
    log.flush(() => {
      clearTimeout(limit);
      resolve();
    });
  });
}

/** Members that are never written, at the top level of an entry and one level below. */
const SECRET_MEMBERS = [
  'accessToken',
  'authorization',
  'clientSecret',
  'code',
  'cookie',
  'embed_token',
  'embedToken',
  'password',
  'passwordHash',
  'refreshToken',
  'secret',
  'token',
  '["set-cookie"]',
  '["x-embed-secret"]',
] as const;

/** Paths for pino: `code` is an MFA code inside a body but an error code at the top level. */
const REDACTED_PATHS = SECRET_MEMBERS.flatMap((name) => {
  const member = name.startsWith('[') ? name : `.${name}`;
  const paths = [`*${member}`, `*.*${member}`];
  return name === 'code' ? ['body.code'] : [name.startsWith('[') ? name : name, ...paths];
});

/** JSON lines on standard output. An entry about a call has the members of `logMembers` (`@crm/access`) as well. */
export function createLogger(
  config: Pick<ServiceConfig, 'name' | 'logLevel'>,
  destination?: DestinationStream,
): PinoLogger {
  return pino(
    {
      level: config.logLevel,
      base: { service: config.name, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? logOutput(),
  );
}

const MAX_CAUSES = 5;

/** Other members are left out: database errors contain parameters of statements, and those tenants' data and secrets. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(code !== undefined && { code }),
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
    ...(error instanceof AggregateError &&
      depth < MAX_CAUSES && {
        errors: error.errors.map((inner) => describeError(inner, depth + 1)),
      }),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: describeError(error.cause, depth + 1) }),
  };
}

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

/** Nest's logger on pino, for a text, an error, or an object with members and `msg`. */
export class NestLogger implements LoggerService {
  constructor(private readonly pino: PinoLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: Level, message: unknown, rest: unknown[]): void {
    // Nest appends the logger's name as the last text; for errors a stack may stand before it.
    const texts = rest.filter((part): part is string => typeof part === 'string');
    const context = texts.at(-1);
    const stack = texts.length > 1 ? texts[0] : undefined;
    const err = [message, ...rest].find((part) => part instanceof Error);
    const members = typeof message === 'object' && message !== null && !(message instanceof Error) ? message : {};
    const text = typeof message === 'string' ? message : message instanceof Error ? message.message : undefined;
    // Nest's own start-up messages are needed only for debugging.
    const chosen = level === 'info' && context !== undefined && NEST_CONTEXTS.has(context) ? 'debug' : level;
    this.pino[chosen](
      { ...(context && { logger: context }), ...(err && { err }), ...(stack && { stack }), ...members },
      text,
    );
  }
}

const NEST_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

export interface AnsweredRequest {
  readonly method: string;
  /** Redacted. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds. */
  readonly elapsed: number;
  readonly problem?: string;
  readonly context: RequestContext;
}

const LEVELS_WITHOUT_REQUESTS: readonly ServiceConfig['logLevel'][] = ['warn', 'error', 'fatal', 'silent'];

/** Made here and not by pino, whose search for secrets cost more than the rest of a request; all members are known. */
export function logRequests(
  instance: FastifyInstance,
  { name, logLevel }: Pick<ServiceConfig, 'name' | 'logLevel'>,
  destination?: DestinationStream,
): void {
  if (LEVELS_WITHOUT_REQUESTS.includes(logLevel)) return;
  const output = destination ?? logOutput();
  const lineOf = requestLines(name);
  instance.addHook('onResponse', (request, reply, done) => {
    output.write(
      lineOf({
        method: request.method,
        path: shownPath(request, reply.statusCode),
        status: reply.statusCode,
        elapsed: reply.elapsedTime,
        problem: request.problemCode,
        context: request.callContext,
      }),
    );
    done();
  });
}

/** Queries are omitted because they contain names and addresses of people. */
export function requestLines(service: string): (answered: AnsweredRequest) => string {
  const origin = `"service":${JSON.stringify(service)},"pid":${process.pid},"requestId":`;
  return ({ method, path, status, elapsed, problem, context }) => {
    const { principal, clientRequestId, tenantId, traceparent } = context;
    // Request and trace ids need no JSON escapes; values chosen by a caller or another service may.
    return (
      `{"level":"info","time":"${isoNow()}",${origin}"${context.requestId}"` +
      (clientRequestId === undefined ? '' : `,"clientRequestId":${quote(clientRequestId)}`) +
      (tenantId === undefined ? '' : `,"tenantId":${quote(tenantId)}`) +
      (traceparent === undefined ? '' : `,"traceId":"${traceparent.slice(3, 35)}"`) +
      `,"method":"${method}","path":${quote(path)},"status":${status},"ms":${Math.round(elapsed * 10) / 10}` +
      (problem === undefined ? '' : `,"problem":"${problem}"`) +
      (principal === undefined ? '' : `,"principal":"${principal.kind}","userId":${quote(principal.userId)}`) +
      ',"msg":"request"}\n'
    );
  };
}

const PLAIN = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;

const quote = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

let second = Number.NaN;
/** The time up to the second, with the point after it. */
let upToSecond = '';

/** The time as pino writes it; everything except the milliseconds is formatted once per second. */
function isoNow(): string {
  const now = Date.now();
  const milliseconds = now % 1000;
  if (now - milliseconds !== second) {
    second = now - milliseconds;
    upToSecond = new Date(second).toISOString().slice(0, 20);
  }
  return `${upToSecond}${milliseconds < 10 ? '00' : milliseconds < 100 ? '0' : ''}${milliseconds}Z`;
}
