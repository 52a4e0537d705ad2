import type { RequestContext } from '@crm/access';
import { redactPath } from '@crm/http';
import type { FastifyInstance } from 'fastify';
import type { DestinationStream } from 'pino';
import type { ServiceConfig } from '../configuration/service-config.js';
import { logOutput } from './logger.js';

export interface AnsweredRequest {
  readonly method: string;
  /** Unchanged; it is redacted here. */
  readonly url: string;
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
        url: request.url,
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
  return ({ method, url, status, elapsed, problem, context }) => {
    const { principal, tenantId, traceparent } = context;
    // Request and trace ids need no JSON escapes; values chosen by a caller or another service may.
    return (
      `{"level":"info","time":"${isoNow()}",${origin}"${context.requestId}"` +
      (tenantId === undefined ? '' : `,"tenantId":${quote(tenantId)}`) +
      (traceparent === undefined ? '' : `,"traceId":"${traceparent.slice(3, 35)}"`) +
      `,"method":"${method}","path":${quote(redactPath(url))},"status":${status},"ms":${Math.round(elapsed * 10) / 10}` +
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
