import type { ErrorCode } from '@crm/contracts';
import { toPlatformError } from '@crm/http';
import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Errors of the OAuth endpoints (RFC 6749, sections 4.1.2.1 and 5.2; RFC 7009, section 2.2.1). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'temporarily_unavailable'
  | 'server_error';

/** A refusal in the shape that OAuth clients read: `{ error, error_description }`. */
export class OAuthError extends Error {
  override name = 'OAuthError';

  /** @param description ASCII without quotes, for developers (RFC 6749, section 5.2) */
  constructor(
    readonly error: OAuthErrorCode,
    readonly description: string,
  ) {
    super(description);
  }

  get status(): number {
    return STATUS[this.error] ?? 400;
  }
}

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  temporarily_unavailable: 503,
  server_error: 500,
};

/** What errors of the platform are called here; others are refusals of the request. */
export const OAUTH_NAMES: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  RATE_LIMITED: 'temporarily_unavailable',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
  DEADLINE_EXCEEDED: 'temporarily_unavailable',
  INTERNAL_ERROR: 'server_error',
};

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
