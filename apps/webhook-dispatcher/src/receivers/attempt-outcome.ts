import type { AttemptPhase } from '@crm/contracts';
import { EGRESS_ERROR_CODES, EgressError, type EgressResponse } from '@crm/egress';

export const ATTEMPT_ERROR_CODES = [...EGRESS_ERROR_CODES, 'http_4xx', 'http_5xx', 'http_other', 'redirect'] as const;
export type AttemptErrorCode = (typeof ATTEMPT_ERROR_CODES)[number];

export interface AttemptError {
  readonly code: AttemptErrorCode;
  readonly message: string;
  /** Absent when the receiver answered. */
  readonly phase?: AttemptPhase;
}

export interface AttemptOutcome {
  readonly at: Date;
  readonly latencyMs: number;
  readonly httpStatus: number | null;
  /** Null when the receiver accepted the delivery. */
  readonly error: AttemptError | null;
  readonly responseExcerpt: string | null;
  readonly retryAfterMs: number | null;
}

/** Bytes of a response that are stored for administrators. */
export const EXCERPT_BYTES = 4_096;

/** The longest that a receiver may ask us to wait. */
const RETRY_AFTER_LIMIT_MS = 24 * 3_600_000;

/** Any 2xx is a success. Redirects are failures, because they could lead from a checked address to an unchecked one. */
export function outcomeOfResponse(at: Date, response: EgressResponse): AttemptOutcome {
  const { status } = response;
  const isAccepted = status >= 200 && status < 300;
  return {
    at,
    latencyMs: Math.round(response.latencyMs),
    httpStatus: status,
    error: isAccepted ? null : { code: codeOf(status), message: `The receiver answered ${status}` },
    responseExcerpt: excerpt(response.body),
    retryAfterMs: isAccepted ? null : readRetryAfter(response.headers['retry-after'], at.getTime()),
  };
}

/** @throws the error itself when it is not an EgressError: a defect of this service is not an outcome */
export function outcomeOfError(at: Date, latencyMs: number, error: unknown): AttemptOutcome {
  if (!(error instanceof EgressError)) throw error;
  return {
    at,
    latencyMs: Math.round(latencyMs),
    httpStatus: null,
    error: { code: error.code, message: error.message, phase: error.phase },
    responseExcerpt: null,
    retryAfterMs: null,
  };
}

function codeOf(status: number): AttemptErrorCode {
  if (status >= 300 && status < 400) return 'redirect';
  if (status >= 400 && status < 500) return 'http_4xx';
  return status >= 500 ? 'http_5xx' : 'http_other';
}

/** The beginning of the response as text that Postgres can store. */
function excerpt(body: Buffer): string | null {
  const text = body.subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd');
  return text === '' ? null : text;
}

/** RFC 9110, section 10.2.3: seconds or an HTTP date; of several headers, the first counts. @returns milliseconds from now */
export function readRetryAfter(header: string | readonly string[] | undefined, now: number): number | null {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (text === undefined) return null;
  if (/^[0-9]{1,9}$/.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_LIMIT_MS);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.min(Math.max(0, date - now), RETRY_AFTER_LIMIT_MS);
}
