import { logMembers } from '@crm/access';
import { OPERATORS_PREFIX, type PlatformError } from '@crm/contracts';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, throwError } from 'rxjs';
import type { RouteSettings } from '../route/route-settings.js';
import { problemHeaders, toPlatformError, toProblem } from './problem.js';
import { redactPath } from './redact-path.js';
import { countRefusal } from './refusal-metrics.js';

/**
 * Turns every thrown error into a response: over HTTP a problem document, over NATS an error of the catalogue.
 */
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
    const occurrence = constantProblems ? {} : { instance: redactPath(publicUrl(request)), requestId: request.id };
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
