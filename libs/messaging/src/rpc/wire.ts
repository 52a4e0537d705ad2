import { type FieldProblem, isErrorCode, type LimitState, PlatformError } from '@crm/contracts';

export const REQUEST_ID_HEADER = 'X-Request-Id';
export const TRACEPARENT_HEADER = 'traceparent';
export const AUTHORIZATION_HEADER = 'Authorization';

export type Reply =
  | { ok: true; data: unknown }
  | {
      ok: false;
      code: string;
      detail?: string;
      errors?: readonly FieldProblem[];
      members?: Readonly<Record<string, unknown>>;
      retryAfterSeconds?: number;
      limits?: readonly LimitState[];
    };

/** One of the calls that share a message, which is a JSON array of them; a request by itself is an object. */
export interface BatchedCall {
  readonly requestId: string;
  readonly traceparent: string;
  readonly request: unknown;
}

/** One of the replies that share a message: the position of its call in the batch, and what a reply by itself would be. */
export type BatchedReply = readonly [position: number, reply: Reply];

export function errorReply(error: PlatformError): Reply {
  const { errors, members, retryAfterSeconds, limits } = error.extra;
  return { ok: false, code: error.code, detail: error.message, errors, members, retryAfterSeconds, limits };
}

export function replyError(reply: Extract<Reply, { ok: false }>): PlatformError {
  const { code, detail, errors, members, retryAfterSeconds, limits } = reply;
  if (!isErrorCode(code)) return new PlatformError('INTERNAL_ERROR');
  return new PlatformError(code, detail, { errors, members, retryAfterSeconds, limits });
}
