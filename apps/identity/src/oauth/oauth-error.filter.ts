import { toPlatformError } from '@crm/http';
import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OAUTH_NAMES, OAuthError } from './oauth-error.js';

/** Seconds to wait when a refusal does not specify it. */
const RETRY_SECONDS = 1;

/** Answers every error of the OAuth endpoints in the shape of RFC 6749, which clients of other vendors understand. */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('OAuth');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { error, description, status, headers } =
      thrown instanceof OAuthError ? { ...refusalOf(thrown), ...schemeOf(thrown, request) } : this.problemOf(thrown);
    request.problemCode = error;
    void reply
      .code(status)
      .headers({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8', ...headers })
      .send(JSON.stringify({ error, error_description: description }));
  }

  private problemOf(thrown: unknown) {
    const problem = toPlatformError(thrown);
    const { status } = problem;
    if (status >= 500) this.logger.error({ msg: problem.message, code: problem.code, err: problem.extra.cause });
    const error = OAUTH_NAMES[problem.code] ?? 'invalid_request';
    const retries = status === 429 || status === 503;
    const seconds = Math.max(RETRY_SECONDS, Math.ceil(problem.extra.retryAfterSeconds ?? RETRY_SECONDS));
    const headers: Record<string, string> = retries ? { 'retry-after': String(seconds) } : {};
    return { error, description: problem.message, status, headers };
  }
}

const refusalOf = ({ error, description, status }: OAuthError) => ({ error, description, status });

/** RFC 6749, section 5.2: who tried HTTP Basic is told that it is the scheme. */
function schemeOf({ error }: OAuthError, { headers }: FastifyRequest): { headers: Record<string, string> } {
  const usedBasic = error === 'invalid_client' && headers.authorization !== undefined;
  return { headers: usedBasic ? { 'www-authenticate': 'Basic realm="oauth", charset="UTF-8"' } : {} };
}
