import { ACCESS_ERRORS } from './access.js';
import { AUTOMATION_ERRORS } from './automation.js';
import type { ErrorDefinition } from './define.js';
import { IDENTITY_ERRORS } from './identity.js';
import { MARKETPLACE_ERRORS } from './marketplace.js';
import { RECORD_ERRORS } from './records.js';
import { REQUEST_ERRORS } from './request.js';

export { defineErrors, type ErrorDefinition } from './define.js';

/** Every error that a client can receive, by code. */
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

/** One invalid value of a body, by JSON pointer (RFC 6901). */
export interface FieldProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The state of one rate limit. */
export interface LimitState {
  /** Name of the policy as clients see it: letters and dashes. */
  readonly name: string;
  /** Calls that can be made at once after a pause. */
  readonly quota: number;
  /** Seconds in which the whole quota comes back, a call at a time. */
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Seconds until all of the quota is back; while none of it remains, until the next call. */
  readonly resetSeconds: number;
}

/**
 * The error type for expected failures: a catalogued code, a detail for humans, optionally the invalid values. It is sent
 * over HTTP as a problem document and over NATS as an error reply. Any other thrown error is a defect and appears as
 * INTERNAL_ERROR without its message.
 */
export class PlatformError extends Error {
  readonly definition: ErrorDefinition;

  /**
   * @param code a code of the catalogue
   * @param detail a sentence about this occurrence without a full stop; shown to the caller, so no secret or internal name
   * @param extra invalid values of the body, further members of the problem document, seconds after which to try again,
   *   and the state of the limits when one of them is exhausted
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
