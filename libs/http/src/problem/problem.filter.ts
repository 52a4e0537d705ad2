import { logMembers } from '@crm/access';
import { HOOK_PATH, isUuid, OPERATORS_PREFIX, type PlatformError } from '@crm/contracts';
import { counter } from '@crm/telemetry';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, throwError } from 'rxjs';
import type { RouteSettings } from '../route/route.decorators.js';
import { problemHeaders, toPlatformError, toProblem } from './problem.js';

/** Segments from this length on may be secrets: ids are shorter, or UUIDs. */
const SECRET_LENGTH = 20;

/**
 * The path of a request as logs and problems show it. One that no route is known for may be mistyped, with a secret in it:
 * its long segments are redacted, except UUIDs. Below a star only an answer tells whether there is one.
 */
export function shownPath(request: FastifyRequest, status: number, url = request.url): string {
  const shown = redactPath(url);
  if (status < 400) return shown;
  const route = request.routeOptions?.url;
  if (route !== undefined && !route.endsWith('*')) return shown;
  return shown
    .split('/')
    .map((segment) => (segment.length >= SECRET_LENGTH && !isUuid(segment) ? REDACTED : segment))
    .join('/');
}

const HOOK = new RegExp(`(${HOOK_PATH}/[^/?#]*/)[^?#]+`, 'gi');

const REDACTED = '[redacted]';

/** Without its query and the secret of a hook URL, also where escapes or mixed case disguise the path. */
export function redactPath(url: string): string {
  const end = url.search(QUERY);
  const path = end < 0 ? url : url.slice(0, end);
  if (!SUSPICIOUS.test(path)) return path;
  const redacted = path.replace(HOOK, `$1${REDACTED}`);
  if (redacted !== path) return redacted;
  // A path with escapes, doubled slashes or dot segments does not match literally: compare its normalised form.
  const plain = plainPath(path);
  return HOOK_PLAIN.test(plain) ? plain.replace(HOOK, `$1${REDACTED}`) : path;
}

/** A path without any of these is already normalised and is not a hook URL. */
const SUSPICIOUS = new RegExp(`[%\\\\]|//|/\\.|${HOOK_PATH}/`, 'i');
const QUERY = /[?#]/;
const HOOK_PLAIN = new RegExp(`${HOOK_PATH}/[^/]*/[^/]`, 'i');

function plainPath(path: string): string {
  let plain = path;
  // A doubly encoded path is decoded twice; no hop would accept a hook URL that is encoded more often.
  for (let round = 0; round < 3; round += 1) {
    plain = plain.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => {
      const code = Number.parseInt(hex, 16);
      return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : `%${hex.toUpperCase()}`;
    });
  }
  return plain
    .replace(/\\/g, '/')
    .replace(/\/(\.?\/)+/g, '/')
    .replace(/\/[^/]+\/\.\.(?=\/)/g, '');
}

export const refusals = counter(
  'rate_limit_refusals_total',
  'Requests answered with RATE_LIMITED, by the limit; "other" for limits that the answer does not name',
  ['limit'],
);

/** Counts a refusal by the limit that is exhausted, which is the last of those that were applied. */
export function countRefusal(error: PlatformError): void {
  if (error.code === 'RATE_LIMITED') refusals.inc({ limit: error.extra.limits?.at(-1)?.name ?? 'other' });
}

/** Over HTTP a problem document, over NATS an error of the catalogue. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  /** @param baseUrl public address under which error codes are explained */
  constructor(private readonly baseUrl: string) {}

  catch(thrown: unknown, host: ArgumentsHost): Observable<never> | undefined {
    if (host.getType() === 'rpc') {
      // What Nest itself refuses gets its code. A defect stays as it is: the transport logs it with the call that failed
      // and replies INTERNAL_ERROR.
      const error = thrown instanceof HttpException ? toPlatformError(thrown) : thrown;
      return throwError(() => error);
    }
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return undefined;
  }

  private report(error: PlatformError, { callContext }: FastifyRequest): void {
    const members = callContext ? logMembers(callContext) : {};
    if (error.code !== 'INTERNAL_ERROR') {
      this.logger.warn({ ...members, msg: error.message, code: error.code, err: error.extra.cause });
      return;
    }
    const defect = error.extra.cause ?? error;
    this.logger.error({ ...members, msg: defect instanceof Error ? defect.message : String(defect), err: defect });
  }

  /** The same for errors outside Nest's routes. */
  answer(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = toPlatformError(thrown);
    if (error.status >= 500) this.report(error, request);
    request.problemCode = error.code;
    countRefusal(error);
    if (reply.sent) return;
    const { constantProblems } = (request.routeOptions?.config ?? {}) as RouteSettings;
    const occurrence = constantProblems
      ? {}
      : { instance: shownPath(request, error.status, publicUrl(request)), requestId: request.id };
    reply
      .code(error.status)
      .headers(problemHeaders(error, request.headers.authorization !== undefined))
      // Bytes, because Fastify would add a charset to a text, which the media type does not have.
      .send(Buffer.from(JSON.stringify({ ...toProblem(error, this.baseUrl), ...occurrence })));
  }
}

/** Operators' routes are known by the paths that they have at marketplace-admin. */
function publicUrl({ url, routeOptions }: FastifyRequest): string {
  return routeOptions?.url?.startsWith(`${OPERATORS_PREFIX}/`) ? url.slice(OPERATORS_PREFIX.length) : url;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Code of the problem in the response, for the log line. */
    problemCode?: string;
  }
}
