/** What one field of a body, or one parameter, was refused for. */
export interface FieldProblem {
  /** JSON pointer, such as `/email`. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** A refusal of the API (RFC 9457), or no answer at all. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(
    /** Error code of the API; `OFFLINE` without an answer. */
    readonly code: string,
    /** HTTP status; 0 without an answer. */
    readonly status: number,
    readonly detail: string,
    readonly fields: readonly FieldProblem[] = [],
    readonly requestId?: string,
    readonly retryAfterSeconds?: number,
    options?: { readonly cause?: unknown },
  ) {
    super(detail, options);
  }

  /** Whether the same call may succeed later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** @param body of a refusal, parsed as far as it was JSON */
export function problemOf({ status, headers }: Response, body: unknown): ApiProblem {
  const { code, title, detail, errors, requestId } = isObject(body) ? body : {};
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(
    typeof code === 'string' ? code : `HTTP_${status}`,
    status,
    String(detail ?? title ?? `HTTP ${status}`),
    Array.isArray(errors) ? errors.filter(isFieldProblem) : [],
    typeof requestId === 'string' ? requestId : undefined,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isFieldProblem = (value: unknown): value is FieldProblem =>
  isObject(value) && typeof value.pointer === 'string' && typeof value.detail === 'string';
