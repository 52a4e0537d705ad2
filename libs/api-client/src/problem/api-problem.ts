/** What one field of a body, or one parameter, was refused for. */
export interface FieldProblem {
  /** JSON pointer, such as `/email`. */
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** A refusal of the API (RFC 9457), no answer at all, or what a page itself refuses to send. */
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
    /** `STEP_UP_REQUIRED` says what proves it within the session; empty where only another sign-in does. */
    readonly proofs?: readonly string[],
  ) {
    super(detail, options);
  }

  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** What a call that had no answer is rejected with. @throws ApiProblem */
export function noAnswer(cause: unknown): never {
  throw new ApiProblem('OFFLINE', 0, 'There was no answer', [], undefined, undefined, { cause });
}

/** @param response a refusal; of its body nothing is known when it is no JSON, as from something between the page and the API */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const { code, title, detail, errors, requestId, proofs } = isObject(body) ? body : {};
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(
    typeof code === 'string' ? code : `HTTP_${status}`,
    status,
    String(detail ?? title ?? `HTTP ${status}`),
    Array.isArray(errors) ? errors.filter(isFieldProblem) : [],
    typeof requestId === 'string' ? requestId : undefined,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
    undefined,
    Array.isArray(proofs) ? proofs.map(String) : undefined,
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isFieldProblem = (value: unknown): value is FieldProblem =>
  isObject(value) && typeof value.pointer === 'string' && typeof value.detail === 'string';
