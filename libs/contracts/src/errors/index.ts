import { ACCESS_ERRORS } from './access.js';
import { AUTOMATION_ERRORS } from './automation.js';
import type { ErrorDefinition } from './define.js';
import { IDENTITY_ERRORS } from './identity.js';
import { MARKETPLACE_ERRORS } from './marketplace.js';
import { RECORD_ERRORS } from './records.js';
import { REQUEST_ERRORS } from './request.js';

export { defineErrors, type ErrorDefinition } from './define.js';

/** Every error a client can meet, by code. */
export const ERRORS = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...IDENTITY_ERRORS,
  ...RECORD_ERRORS,
  ...MARKETPLACE_ERRORS,
  ...AUTOMATION_ERRORS,
} as const;

export type ErrorCode = keyof typeof ERRORS;

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value);
}

/** One wrong value of a body, by JSON pointer (RFC 6901). */
export interface FieldProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What is left of one limit of calls. */
export interface LimitState {
  /** Of the policy, as clients see it: letters and dashes. */
  readonly name: string;
  /** Calls in a window. */
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until the window starts anew. */
  readonly resetSeconds: number;
}

/**
 * The one error type for what a caller did or met: a catalogued code, a detail for humans, optionally the wrong values.
 * It travels over HTTP as a problem document and over NATS as an error reply; anything else that is thrown is a defect
 * and shows as INTERNAL_ERROR without its message.
 */
export class PlatformError extends Error {
  readonly definition: ErrorDefinition;

  /**
   * @param code a code of the catalogue
   * @param detail what is special about this occurrence; shown to the caller, so never a secret or an internal name
   * @param extra wrong values of the body, further members of the problem document, seconds after which to try again,
   *   the limits that were applied when one of them is exhausted
   */
  constructor(
    code: ErrorCode,
    detail?: string,
    readonly extra: {
      readonly errors?: readonly FieldProblem[];
      readonly members?: Readonly<Record<string, unknown>>;
      readonly retryAfterSeconds?: number;
      readonly limits?: readonly LimitState[];
      readonly cause?: unknown;
    } = {},
  ) {
    super(detail ?? ERRORS[code].title, { cause: extra.cause });
    this.name = 'PlatformError';
    this.definition = ERRORS[code];
  }

  get code(): ErrorCode {
    return this.definition.code as ErrorCode;
  }

  get status(): number {
    return this.definition.status;
  }
}
