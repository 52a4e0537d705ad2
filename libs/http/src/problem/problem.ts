import { ERRORS, type ErrorCode, type FieldProblem, PlatformError } from '@crm/contracts';
import { limitHeaders } from '@crm/limits';

/** A problem document (RFC 9457) with the platform's own members. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly instance?: string;
  readonly requestId?: string;
  readonly errors?: readonly FieldProblem[];
  readonly [member: string]: unknown;
}

export const PROBLEM_TYPE = 'application/problem+json';

/** Seconds to wait when an error does not specify it. */
const DEFAULT_RETRY_SECONDS = { 429: 1, 503: 2 } as const;

/** Address of the page that explains a code, served by the gateway. */
export const problemTypeUrl = (baseUrl: string, code: string): string =>
  `${baseUrl}/problems/${code.toLowerCase().replaceAll('_', '-')}`;

/** What Fastify and Node say about a request that never reached a route. */
const TRANSPORT_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_REQUEST',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_REQUEST',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'MALFORMED_REQUEST',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_BAD_URL: 'MALFORMED_REQUEST',
};

const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_FAILED',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
};

/** Errors of the HTTP layer keep their status class; any other error is a defect: INTERNAL_ERROR without its message. */
export function toPlatformError(thrown: unknown): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  const { code, statusCode, status } = Object(thrown) as { code?: unknown; statusCode?: unknown; status?: unknown };
  if (typeof code === 'string' && Object.hasOwn(TRANSPORT_CODES, code)) {
    return new PlatformError(TRANSPORT_CODES[code]!, TRANSPORT_DETAILS[code], { cause: thrown });
  }
  const httpStatus = typeof statusCode === 'number' ? statusCode : status;
  if (typeof httpStatus === 'number' && httpStatus >= 400 && httpStatus < 500) {
    return new PlatformError(STATUS_CODES[httpStatus] ?? 'MALFORMED_REQUEST', undefined, { cause: thrown });
  }
  return new PlatformError('INTERNAL_ERROR', undefined, { cause: thrown });
}

const TRANSPORT_DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: "The body isn't valid JSON",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "The body's length doesn't match Content-Length",
  FST_ERR_BAD_URL: 'Invalid path',
};

export function toProblem(error: PlatformError, baseUrl: string): Problem {
  return {
    type: problemTypeUrl(baseUrl, error.code),
    title: ERRORS[error.code].title,
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(error.extra.errors && { errors: error.extra.errors }),
    ...error.extra.members,
  };
}

export function problemHeaders(error: PlatformError, tokenWasSent: boolean): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' };
  if (error.status === 401) {
    // RFC 6750, section 3.1: no error code when the request had no token.
    headers['www-authenticate'] = tokenWasSent ? 'Bearer realm="crm", error="invalid_token"' : 'Bearer realm="crm"';
  }
  const fallback = error.status === 429 || error.status === 503 ? DEFAULT_RETRY_SECONDS[error.status] : undefined;
  const seconds = error.extra.retryAfterSeconds ?? fallback;
  if (seconds !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(seconds)));
  if (error.extra.allow) headers.allow = error.extra.allow.join(', ');
  if (error.extra.limits?.length) Object.assign(headers, limitHeaders(error.extra.limits));
  return headers;
}
