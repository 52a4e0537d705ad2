import { HOOK_PATH, type ServiceName } from '@crm/contracts';

/** The services behind the gateway. */
export type Upstream = Extract<
  ServiceName,
  'identity' | 'custom-objects' | 'marketplace-certification' | 'automation-hooks' | 'webhook-dispatcher'
>;

/** Which service answers which paths. A prefix matches itself and everything below it. */
export const ROUTES: readonly (readonly [prefix: string, upstream: Upstream])[] = [
  ['/.well-known/jwks.json', 'identity'],
  ['/api/auth', 'identity'],
  ['/api/tenant', 'identity'],
  ['/api/crm/custom', 'custom-objects'],
  ['/api/crm/automations', 'automation-hooks'],
  ['/api/crm/leads', 'custom-objects'],
  ['/api/crm/contacts', 'custom-objects'],
  ['/api/crm/companies', 'custom-objects'],
  ['/api/crm/opportunities', 'custom-objects'],
  ['/api/crm/tasks', 'custom-objects'],
  ['/api/marketplace', 'marketplace-certification'],
  ['/api/webhooks', 'webhook-dispatcher'],
];

/** Below a routed prefix, but served at another address: only the embed-gateway mints embed tokens. */
const ELSEWHERE = ['/api/auth/v1'];

/**
 * What a developer sees and does of an app's webhooks stands below the app, next to what the marketplace serves, but is
 * served where deliveries are.
 */
const APP_WEBHOOKS = /^\/api\/marketplace\/developer\/apps\/[^/]+\/(?:listen|trigger)$/;

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');

/**
 * The service for a path as received, without its query; undefined when there is none. The comparison is literal: an
 * escaped or differently cased spelling of a prefix does not match.
 */
export function upstreamFor(path: string): Upstream | undefined {
  if (ELSEWHERE.some((prefix) => isBelow(path, prefix))) return undefined;
  const upstream = ROUTES.find(([prefix]) => isBelow(path, prefix))?.[1];
  return upstream === 'marketplace-certification' && APP_WEBHOOKS.test(path) ? 'webhook-dispatcher' : upstream;
}

/** Escapes of `.` `/` `\` `%` and of control characters. */
const AMBIGUOUS_ESCAPE = /%(?:2e|2f|5c|25|[01][0-9a-f]|7f)/i;
/** Empty and dot segments, and those that begin or end with two dots: a server may drop what follows a semicolon. */
const AMBIGUOUS_SEGMENT = /\/\.?\/|\/\.$|\/\.\.|\.\.\//;

/**
 * Whether two servers could read the path differently: empty or dot segments, backslashes, escaped slashes, dots, percent
 * signs or control characters. Such a path is refused instead of being normalised, so that what the gateway routes on and
 * what the service sees are the same bytes.
 */
export function isAmbiguous(path: string): boolean {
  return !path.startsWith('/') || /[\\#\s]/.test(path) || AMBIGUOUS_SEGMENT.test(path) || AMBIGUOUS_ESCAPE.test(path);
}

const HOOK = new RegExp(`^${HOOK_PATH}/([^/]+)/`);

/** The workflow id in the path of a hook, whether such a workflow exists or not; undefined for any other path. */
export function presentedHookId(path: string): string | undefined {
  return HOOK.exec(path)?.[1];
}

/** Calls that exchange credentials for a token, or set new ones with a link from a mail. A client may still send its last, expired token. */
const CREDENTIAL_CALLS = new Set([
  '/api/auth/login',
  '/api/auth/register',
  '/api/auth/refresh',
  '/api/auth/mfa/verify',
  '/api/auth/mfa/enrolment',
  '/api/auth/mfa/enrolment/confirm',
  '/api/auth/oauth/token',
  '/api/auth/password-resets',
  '/api/auth/password-resets/complete',
  '/api/auth/email-change/confirm',
  '/api/auth/email-change/undo',
]);

/** Whether a token is ignored on this path. */
export const ignoresToken = (path: string): boolean =>
  CREDENTIAL_CALLS.has(path) || presentedHookId(path) !== undefined;

/** Whether a call exchanges credentials for a token. */
export const isCredentialCall = (path: string): boolean => CREDENTIAL_CALLS.has(path);
