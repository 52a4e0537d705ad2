/** An entry of the error catalogue. */
export interface ErrorDefinition<Code extends string = string> {
  readonly code: Code;
  /** HTTP status. */
  readonly status: number;
  /** Short, constant text; the specifics of one occurrence go into `detail`. */
  readonly title: string;
  /** The next step, which problems give as their `detail` where an occurrence has no detail of its own. */
  readonly advice: string;
}

type Entry = readonly [status: number, title: string, advice: string];

type Definitions<T extends Record<string, Entry>> = {
  readonly [Code in keyof T & string]: ErrorDefinition<Code>;
};

/** Declares the errors of one domain; each key is the code that clients see. */
export function defineErrors<const T extends Record<string, Entry>>(entries: T): Definitions<T> {
  return Object.fromEntries(
    Object.entries(entries).map(([code, [status, title, advice]]) => [code, { code, status, title, advice }]),
  ) as unknown as Definitions<T>;
}

/** Errors that any request can cause. */
export const REQUEST_ERRORS = defineErrors({
  MALFORMED_REQUEST: [400, 'Malformed request', "The request can't be read. Check its syntax and headers"],
  INVALID_QUERY: [400, 'Invalid query parameter', 'Check the names and values of the query parameters'],
  NOT_FOUND: [404, 'Not found', "It doesn't exist, or you don't have access to it. Check the path and the ID"],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed', 'Use one of the methods in the Allow header'],
  CONFLICT: [
    409,
    'The request conflicts with the current state',
    'Read the resource again, and repeat the request if it still applies',
  ],
  VERSION_MISMATCH: [
    412,
    'The resource has changed since you read it',
    'Read it again, then send the change with its current ETag',
  ],
  PAYLOAD_TOO_LARGE: [413, 'Request body too large', 'Send less data in one request'],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'The body must be application/json',
    'Send JSON with the header Content-Type: application/json',
  ],
  VALIDATION_FAILED: [422, 'Some values are invalid', 'See errors for each invalid value and how to fix it'],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    'This idempotency key was already used with a different body',
    'Use a new key for a new request',
  ],
  IDEMPOTENCY_KEY_IN_USE: [
    409,
    'A request with this idempotency key is still running',
    'Wait for it to finish, then repeat the request with the same key',
  ],
  RATE_LIMITED: [429, 'Too many requests', 'Wait for the seconds in Retry-After, then try again'],
  INTERNAL_ERROR: [
    500,
    'Something went wrong on our side',
    'Try again. If it keeps happening, contact support and include the request ID',
  ],
  SERVICE_UNAVAILABLE: [503, 'Service temporarily unavailable', 'Wait for the seconds in Retry-After, then try again'],
  DEADLINE_EXCEEDED: [
    503,
    'The service took too long to respond',
    'Try again. A write may have succeeded, so repeat it with the same Idempotency-Key',
  ],
  REQUEST_TIMEOUT: [408, 'Request timed out', "The request didn't arrive in full. Send it again"],
  HEADERS_TOO_LARGE: [431, 'Request headers too large', 'Send fewer or shorter headers'],
});

/** Authentication and authorisation. */
export const ACCESS_ERRORS = defineErrors({
  UNAUTHENTICATED: [
    401,
    'A valid access token is required',
    'Send the header Authorization: Bearer with an access token or an API key',
  ],
  TOKEN_EXPIRED: [401, 'The access token has expired', 'Use the refresh token to get a new one, or sign in again'],
  TOKEN_REVOKED: [401, 'The access token has been revoked', 'Sign in again, or get a new token'],
  INVALID_CREDENTIALS: [401, 'Wrong email or password', 'Check what you entered and try again, or reset your password'],
  INVALID_REFRESH_TOKEN: [
    401,
    "The refresh token isn't valid",
    'It has expired, was already used, or its session has ended. Sign in again',
  ],
  FORBIDDEN: [403, "Your role doesn't allow this", 'Ask an admin of your workspace for a role that allows it'],
  INSUFFICIENT_SCOPE: [
    403,
    'The token is missing a required scope',
    'Use a token with the scope that this call requires',
  ],
  EMBED_TOKEN_REFUSED: [403, "Embed tokens can't make this call", 'Use the access token of a user who has signed in'],
  ROLE_NOT_GRANTABLE: [
    403,
    "You can't grant a role higher than your own",
    'Choose a lower role, or ask someone with a higher one',
  ],
  PLAN_NOT_ALLOWED: [
    403,
    'Only an operator can set the plan',
    "Leave plan out, or ask the platform's operators to change it",
  ],
  PASSWORD_REQUIRED: [422, 'Password required', 'Send the password with the request'],
  LOCAL_PASSWORDS_REFUSED: [
    403,
    "Admins can't set passwords in this workspace",
    'Leave the password out to invite the user instead',
  ],
  EMAIL_TAKEN: [409, 'This email address is already in use', 'Use a different email address'],
  INVALID_EMBED_CREDENTIALS: [401, "The embed credentials aren't valid", 'Check X-Embed-Key and X-Embed-Secret'],
  EMBED_IDENTITY_CONFLICT: [
    409,
    'The identity belongs to another workspace',
    'Send the email address that this person uses in this workspace',
  ],
  EMBED_USER_DISABLED: [403, 'The embedded user is disabled', 'Ask an admin of the workspace to enable the user'],
  EMBED_SCOPE_DENIED: [
    403,
    "The app wasn't granted one of the requested scopes",
    'Request fewer scopes, or ask an admin to grant them',
  ],
  EMBED_APP_ENDED: [
    403,
    'The app is revoked, or its publisher has uninstalled it',
    "Install it in the publishing workspace again. A revoked app can't be used",
  ],
  STEP_UP_REQUIRED: [
    403,
    'Recent authentication required',
    'Re-authenticate the session with POST /api/auth/step-up, then repeat the call',
  ],
  INVALID_API_KEY: [
    401,
    "The API key isn't valid",
    'It is mistyped, expired, or revoked. Create a new one if you need it',
  ],
  API_KEY_REFUSED: [403, "API keys can't make this call", 'Sign in as a user to make it'],
  SCOPE_NOT_GRANTABLE: [
    403,
    "Your role doesn't allow this scope",
    'Choose scopes that your role allows, or ask an admin',
  ],
  SCOPE_NOT_OFFERED: [422, 'Scope not available here', 'Choose one of the scopes that are offered'],
  WORKSPACE_SUSPENDED: [
    403,
    'The workspace is suspended',
    "Its admins were emailed the reason. Contact the platform's operators",
  ],
  API_KEY_LIMIT_EXCEEDED: [409, 'API key or service account limit reached', 'Revoke one to create another'],
});

/** People of a workspace and their invitations. */
export const IDENTITY_ERRORS = defineErrors({
  INVALID_INVITATION: [
    410,
    'This invitation is no longer valid',
    'It has expired, was used, or was replaced by a newer one. Ask an admin for another',
  ],
  WEAK_PASSWORD: [422, 'The password is too easy to guess', 'Choose a longer, less common password'],
  INVALID_PASSWORD_RESET: [410, 'This password reset link is no longer valid', 'Request a new link'],
  INVALID_EMAIL_CHANGE: [410, 'This email change link is no longer valid', 'Start the change again to get a new link'],
  EMAIL_NOT_VERIFIED: [
    403,
    "The workspace's email address isn't verified yet",
    'Open the link in the verification email, or request a new one',
  ],
  INVALID_VERIFICATION: [410, 'This verification link is no longer valid', 'Request a new link'],
  INVALID_AUTHORIZATION_REQUEST: [
    410,
    'This authorization request is no longer valid',
    'Go back to the app and start again',
  ],
  INVALID_UNDO_LINK: [
    410,
    'This undo link is no longer valid',
    'It has expired or was already used. Ask an admin of your workspace for help',
  ],
  SINGLE_SIGN_ON_REQUIRED: [
    403,
    'The workspace requires single sign-on',
    "Sign in with your workspace's identity provider",
  ],
  SINGLE_SIGN_ON_EXPIRED: [410, 'This single sign-on attempt is no longer valid', 'Start signing in again'],
  SINGLE_SIGN_ON_REFUSED: [403, "This single sign-on isn't allowed", 'Ask an admin of your workspace for access'],
  SINGLE_SIGN_ON_FAILED: [
    401,
    "The identity provider didn't complete the sign-in",
    "Try again. If it keeps failing, ask an admin to check the provider's settings",
  ],
  IDENTITY_LINK_PENDING: [
    403,
    'The sign-in is waiting for approval by a workspace owner',
    "We've emailed the owners. Sign in again once one of them has approved",
  ],
  DOMAIN_TAKEN: [
    409,
    'The domain belongs to another workspace',
    'The other workspace has to remove the domain or its DNS record first',
  ],
  DOMAIN_NOT_PROVEN: [
    409,
    'Domain verification record not found',
    'Add the TXT record, wait until DNS shows it, and try again',
  ],
  OWN_WORKSPACE: [403, "You can't act on your own workspace", 'Ask another operator'],
});

/** Records of core and custom objects. */
export const RECORD_ERRORS = defineErrors({
  FIELD_ACCESS_DENIED: [403, "Your role can't write this field", 'Leave the field out, or ask an admin for access'],
  UNIQUE_VIOLATION: [409, 'Value already in use', 'Another record already uses this value. Change it and try again'],
  QUERY_TOO_EXPENSIVE: [422, 'Query too expensive', 'Filter and sort by indexed fields, or ask for less'],
});

/** Submissions, reviews and installations. */
export const MARKETPLACE_ERRORS = defineErrors({
  CERTIFICATION_FAILED: [422, 'Certification failed', 'Fix every blocker and submit the package again'],
  SUBMISSION_STATE: [
    409,
    "The submission's status doesn't allow this",
    'Read the submission to see its current status',
  ],
  OWN_SUBMISSION: [403, "You can't review a submission from your own workspace", 'Ask another operator'],
  APP_NOT_INSTALLABLE: [409, "The app can't be installed", 'No version of it is available to this workspace'],
  APP_NOT_INSTALLED: [409, "The app isn't installed in this workspace", 'Ask an admin to install it'],
  ALREADY_INSTALLED: [409, 'The app is already installed', 'Use the existing installation, or uninstall it first'],
  SCOPE_NOT_REQUESTED: [
    422,
    "The app didn't request one of the granted scopes",
    'Grant only scopes that the app requests',
  ],
  SCOPE_REQUIRED: [422, "A required scope wasn't granted", "Grant every scope that isn't optional"],
  STORAGE_LIMIT_REACHED: [
    422,
    'Storage limit reached for your plan',
    "Delete records permanently, or ask the platform's operators for a larger plan",
  ],
  OBJECT_LIMIT_EXCEEDED: [
    409,
    'Custom object limit reached for your plan',
    "Uninstall an app with custom objects, or ask the platform's operators for a larger plan",
  ],
  INSTALL_FAILED: [409, 'The installation failed and was rolled back', 'Nothing was installed. Try again'],
});

/** Workflows, inbound hooks and outbound webhooks. */
export const AUTOMATION_ERRORS = defineErrors({
  WORKFLOW_INVALID: [422, "The workflow isn't valid", 'See errors for each problem and how to fix it'],
  WORKFLOW_LIMIT_EXCEEDED: [409, 'Workflow limit reached', 'Delete a workflow to create another'],
  SUBSCRIPTION_LIMIT_EXCEEDED: [409, 'Webhook subscription limit reached', 'Delete a subscription to create another'],
  WEBHOOK_TARGET_REFUSED: [
    422,
    'The URL must use https and a public host',
    'Use a URL such as https://example.com/hooks',
  ],
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
   * @param detail what is wrong with this request and what to do, without a full stop at the end; shown to the caller, so no secret
   *   or internal name. One that repeats the title gives way to the advice of the catalogue
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
    const { title, advice } = ERRORS[code];
    super(detail === undefined || detail === title ? advice : detail, { cause: extra.cause });
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
