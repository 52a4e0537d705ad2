/** An entry of the error catalogue. */
export interface ErrorDefinition<Code extends string = string> {
  readonly code: Code;
  /** HTTP status. */
  readonly status: number;
  /** Short, constant text; the specifics of one occurrence go into `detail`. */
  readonly title: string;
}

type Definitions<T extends Record<string, readonly [number, string]>> = {
  readonly [Code in keyof T & string]: ErrorDefinition<Code>;
};

/** Declares the errors of one domain; each key is the code that clients see. */
export function defineErrors<const T extends Record<string, readonly [number, string]>>(entries: T): Definitions<T> {
  return Object.fromEntries(
    Object.entries(entries).map(([code, [status, title]]) => [code, { code, status, title }]),
  ) as unknown as Definitions<T>;
}

/** Errors that any request can cause. */
export const REQUEST_ERRORS = defineErrors({
  MALFORMED_REQUEST: [400, 'The request cannot be read'],
  INVALID_QUERY: [400, 'A query parameter is not valid'],
  NOT_FOUND: [404, 'There is no such resource'],
  METHOD_NOT_ALLOWED: [405, 'The method is not allowed here'],
  CONFLICT: [409, 'The request conflicts with the present state'],
  VERSION_MISMATCH: [412, 'The resource was changed in the meantime'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body must be application/json'],
  VALIDATION_FAILED: [422, 'Some values are not valid'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The idempotency key was used with another body'],
  IDEMPOTENCY_KEY_IN_USE: [409, 'A request with this idempotency key is still running'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side'],
  SERVICE_UNAVAILABLE: [503, 'A part of the platform is not available'],
  DEADLINE_EXCEEDED: [503, 'A part of the platform did not answer in time'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HEADERS_TOO_LARGE: [431, 'The headers are too large'],
});

/** Authentication and authorisation. */
export const ACCESS_ERRORS = defineErrors({
  UNAUTHENTICATED: [401, 'A valid access token is required'],
  TOKEN_EXPIRED: [401, 'The access token has expired'],
  TOKEN_REVOKED: [401, 'The access token has been revoked'],
  INVALID_CREDENTIALS: [401, 'E-mail or password is wrong'],
  INVALID_REFRESH_TOKEN: [401, 'The refresh token is not valid'],
  FORBIDDEN: [403, 'The role does not allow this'],
  INSUFFICIENT_SCOPE: [403, 'The token lacks the scope for this'],
  EMBED_TOKEN_REFUSED: [403, 'An embed token cannot do this'],
  ROLE_NOT_GRANTABLE: [403, 'Nobody grants a role above their own'],
  PLAN_NOT_ALLOWED: [403, 'The plan can only be set by an operator'],
  PASSWORD_REQUIRED: [422, 'A password is needed'],
  LOCAL_PASSWORDS_REFUSED: [403, 'The workspace takes no passwords that administrators choose: invite the user'],
  EMAIL_TAKEN: [409, 'The e-mail address has an account already'],
  INVALID_EMBED_CREDENTIALS: [401, 'The embed credentials are not valid'],
  EMBED_IDENTITY_CONFLICT: [409, 'The identity belongs to another workspace'],
  EMBED_USER_DISABLED: [403, 'The embedded user is disabled'],
  EMBED_SCOPE_DENIED: [403, 'The app was not granted a scope that was asked for'],
  EMBED_APP_ENDED: [403, 'The app is revoked, or its publisher has uninstalled it'],
  STEP_UP_REQUIRED: [403, 'The password or the second factor must be proven again'],
  INVALID_API_KEY: [401, 'The API key is not valid'],
  API_KEY_REFUSED: [403, 'An API key cannot do this; a person who has signed in can'],
  SCOPE_NOT_GRANTABLE: [403, 'The role does not allow the scope'],
  SCOPE_NOT_OFFERED: [422, 'A scope is not among those to choose from'],
  WORKSPACE_SUSPENDED: [403, 'The workspace is suspended'],
  API_KEY_LIMIT_EXCEEDED: [409, 'There are as many API keys or service accounts as are allowed'],
});

/** People of a workspace and their invitations. */
export const IDENTITY_ERRORS = defineErrors({
  INVALID_INVITATION: [410, 'The invitation is not valid any more'],
  WEAK_PASSWORD: [422, 'The password is too easy to guess'],
  INVALID_PASSWORD_RESET: [410, 'The link to set a new password is not valid any more'],
  INVALID_EMAIL_CHANGE: [410, 'The link to change the e-mail address is not valid any more'],
  EMAIL_NOT_VERIFIED: [403, 'The e-mail address of the workspace is not verified yet'],
  INVALID_VERIFICATION: [410, 'The link that verifies the address is not valid any more'],
  INVALID_AUTHORIZATION_REQUEST: [410, 'The request of the app is not valid any more'],
  APP_NOT_INSTALLED: [409, 'The app is not installed in the workspace'],
  INVALID_UNDO_LINK: [410, 'The link that undoes the change is not valid any more'],
  SINGLE_SIGN_ON_REQUIRED: [403, 'The workspace requires single sign-on'],
  SINGLE_SIGN_ON_EXPIRED: [410, 'The sign-in at the identity provider is not valid any more'],
  SINGLE_SIGN_ON_REFUSED: [403, 'The sign-in at the identity provider is not accepted'],
  SINGLE_SIGN_ON_FAILED: [401, 'The identity provider did not complete the sign-in'],
  IDENTITY_LINK_PENDING: [403, 'The sign-in is waiting for approval by a workspace owner'],
  DOMAIN_TAKEN: [409, 'The domain belongs to another workspace'],
  DOMAIN_NOT_PROVEN: [409, 'The record that proves the domain was not found'],
  OWN_WORKSPACE: [403, 'Nobody decides on their own workspace'],
});

/** Records of core and custom objects. */
export const RECORD_ERRORS = defineErrors({
  FIELD_ACCESS_DENIED: [403, 'The role may not write a field'],
  UNIQUE_VIOLATION: [409, 'A value must be unique'],
  QUERY_TOO_EXPENSIVE: [422, 'The query takes too long'],
});

/** Submissions, reviews and installations. */
export const MARKETPLACE_ERRORS = defineErrors({
  CERTIFICATION_FAILED: [422, 'The package did not pass certification'],
  SUBMISSION_STATE: [409, 'The submission is not in a state that allows this'],
  OWN_SUBMISSION: [403, 'Nobody decides on a submission of their own workspace'],
  APP_NOT_INSTALLABLE: [409, 'The app cannot be installed'],
  APP_NOT_INSTALLED: [409, 'The app is not installed in this workspace'],
  ALREADY_INSTALLED: [409, 'The app is installed already'],
  SCOPE_NOT_REQUESTED: [422, 'A granted scope was not requested by the app'],
  SCOPE_REQUIRED: [422, 'A scope that the app cannot work without was not granted'],
  STORAGE_LIMIT_REACHED: [422, 'The workspace stores as much as it may'],
  OBJECT_LIMIT_EXCEEDED: [409, "The plan's limit of custom objects would be exceeded"],
  INSTALL_FAILED: [409, 'The installation failed and was rolled back'],
});

/** Workflows, inbound hooks and outbound webhooks. */
export const AUTOMATION_ERRORS = defineErrors({
  WORKFLOW_INVALID: [422, 'The workflow is not valid'],
  WORKFLOW_LIMIT_EXCEEDED: [409, 'The limit of workflows would be exceeded'],
  SUBSCRIPTION_LIMIT_EXCEEDED: [409, 'The limit of webhook subscriptions would be exceeded'],
  WEBHOOK_TARGET_REFUSED: [422, 'The target must be an https address of a public host'],
});

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
   *   the state of the limits when one of them is exhausted, and the methods that a path has
   */
  constructor(
    code: ErrorCode,
    detail?: string,
    readonly extra: {
      readonly errors?: readonly FieldProblem[];
      readonly members?: Readonly<Record<string, unknown>>;
      readonly retryAfterSeconds?: number;
      readonly limits?: readonly LimitState[];
      readonly allow?: readonly string[];
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

/** The refusal of a body with these values. */
export const invalidValues = (...errors: FieldProblem[]): PlatformError =>
  new PlatformError('VALIDATION_FAILED', undefined, { errors });

/** @throws VALIDATION_FAILED when there are problems */
export function requireNoProblems(errors: readonly FieldProblem[]): void {
  if (errors.length > 0) throw invalidValues(...errors);
}
