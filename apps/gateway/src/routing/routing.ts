import { HOOK_PATH, type ServiceName } from '@crm/contracts';
import { CREDENTIALS_BODY_LIMIT, DEFAULT_BODY_LIMIT } from '@crm/http';
import type { ForwardClass, ForwardRoute } from '@crm/runtime/proxy';

/** Where bodies count: of tenants; of addresses without a token, with a budget each for credentials and for hooks. */
export const SENDER_KINDS = ['tenant', 'address', 'credentials', 'hook'] as const;
export type SenderKind = (typeof SENDER_KINDS)[number];

/** What holds for all calls of a kind. */
export interface RouteClass extends ForwardClass {
  /** A larger body is refused before it is read. */
  readonly bodyBytes: number;
  /** The same for a call without a valid token. */
  readonly strangerBytes: number;
  /** Where the body of a call without a valid token counts. */
  readonly sender: Exclude<SenderKind, 'tenant'>;
  /** What calls are counted by: the caller that the token names, or the address without one; the address; the hook and the address. */
  readonly limit: 'caller' | 'address' | 'hook';
  /** A token that is sent along is not looked at. */
  readonly ignoresToken: boolean;
}

const CREDENTIALS = {
  bodyBytes: CREDENTIALS_BODY_LIMIT,
  strangerBytes: CREDENTIALS_BODY_LIMIT,
  sender: 'credentials',
  timeoutMs: 15_000,
  limit: 'address',
  ignoresToken: true,
} as const;

/** What nobody without a token needs: the services refuse such a call, but only after they have parsed its body. */
const WITH_A_TOKEN = {
  bodyBytes: DEFAULT_BODY_LIMIT,
  strangerBytes: CREDENTIALS_BODY_LIMIT,
  sender: 'address',
  limit: 'caller',
  ignoresToken: false,
} as const;

const HOOK_BODY_LIMIT = 256 * 1024;

export const ROUTE_CLASSES = {
  /** Calls with a token, and what is public. */
  api: WITH_A_TOKEN,
  /** Records: the same, with lists that are worth compressing. */
  records: { ...WITH_A_TOKEN, compresses: true },
  /** Calls that exchange credentials for a token: short, and a client may still send its last, expired token. */
  credentials: CREDENTIALS,
  /** The same, by a browser that goes to an identity provider in between. */
  browserCredentials: { ...CREDENTIALS, passesCookie: 'crm-sign-in' },
  /** The same, by a page whose refresh token is in a cookie. */
  pageSession: { ...CREDENTIALS, passesCookie: 'crm-session' },
  /** Calls with a token, by a browser that goes to an identity provider next. */
  browserApi: { ...WITH_A_TOKEN, passesCookie: 'crm-sign-in' },
  /** Calls of upstream systems; the secret in the path is all that they bring. */
  hook: {
    bodyBytes: HOOK_BODY_LIMIT,
    strangerBytes: HOOK_BODY_LIMIT,
    sender: 'hook',
    timeoutMs: 15_000,
    limit: 'hook',
    ignoresToken: true,
  },
  /** Sample events, and waits for deliveries: a cursor can be used again, so that a wait that is cut short misses nothing. */
  appWebhooks: {
    ...WITH_A_TOKEN,
    nothingYet: (query: URLSearchParams) =>
      query.has('cursor') ? { data: [], cursor: query.get('cursor') } : undefined,
  },
} as const satisfies Readonly<Record<string, RouteClass>>;

export type RouteClassName = keyof typeof ROUTE_CLASSES;

/** The services behind the gateway. */
export type Upstream = Extract<
  ServiceName,
  'identity' | 'custom-objects' | 'marketplace-certification' | 'automation-hooks' | 'webhook-dispatcher'
>;

/** What kind of calls a route is for. A prefix matches itself and everything below it. */
export const ROUTES: readonly (readonly [prefix: string, upstream: Upstream, routeClass: RouteClassName])[] = [
  ['/.well-known/jwks.json', 'identity', 'api'],
  ['/api/auth/login', 'identity', 'credentials'],
  ['/api/auth/register', 'identity', 'credentials'],
  ['/api/auth/refresh', 'identity', 'credentials'],
  ['/api/auth/session', 'identity', 'pageSession'],
  ['/api/auth/mfa/verify', 'identity', 'credentials'],
  ['/api/auth/mfa/enrolment', 'identity', 'credentials'],
  ['/api/auth/password-resets', 'identity', 'credentials'],
  ['/api/auth/email-change/confirm', 'identity', 'credentials'],
  ['/api/auth/email-change/undo', 'identity', 'credentials'],
  ['/api/auth/embed-links/undo', 'identity', 'credentials'],
  ['/api/auth/oauth/token', 'identity', 'credentials'],
  ['/api/auth/oidc', 'identity', 'browserCredentials'],
  ['/api/auth/step-up/oidc', 'identity', 'browserApi'],
  ['/api/auth/oauth/revoke', 'identity', 'credentials'],
  ['/api/auth/oauth/introspect', 'identity', 'credentials'],
  ['/api/auth/oauth/authorize', 'identity', 'credentials'],
  ['/.well-known/oauth-authorization-server', 'identity', 'api'],
  ['/api/auth', 'identity', 'api'],
  ['/api/tenant', 'identity', 'api'],
  ['/api/admin', 'identity', 'api'],
  ['/api/crm/custom', 'custom-objects', 'records'],
  ['/api/crm/objects', 'custom-objects', 'records'],
  ['/api/crm/search', 'custom-objects', 'records'],
  ['/api/crm/views', 'custom-objects', 'api'],
  ['/api/crm/notes', 'custom-objects', 'records'],
  ['/api/crm/pipelines', 'custom-objects', 'api'],
  [HOOK_PATH, 'automation-hooks', 'hook'],
  ['/api/crm/automations', 'automation-hooks', 'api'],
  ['/api/crm/leads', 'custom-objects', 'records'],
  ['/api/crm/contacts', 'custom-objects', 'records'],
  ['/api/crm/companies', 'custom-objects', 'records'],
  ['/api/crm/opportunities', 'custom-objects', 'records'],
  ['/api/crm/tasks', 'custom-objects', 'records'],
  ['/api/marketplace', 'marketplace-certification', 'api'],
  ['/api/webhooks', 'webhook-dispatcher', 'api'],
  ['/docs/certification', 'marketplace-certification', 'api'],
];

export interface Route extends ForwardRoute {
  readonly upstream: Upstream;
  readonly routeClass: RouteClass;
}

/** Below a routed prefix, but served at another address: only the embed-gateway mints embed tokens. */
const ELSEWHERE = ['/api/auth/v1'];

/** Stands below the app, next to what the marketplace serves, but is served where deliveries are. */
const APP_WEBHOOKS = /^\/api\/marketplace\/developer\/apps\/[^/]+\/(?:listen|trigger)$/;

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');

const TABLE: readonly (Route & { readonly prefix: string })[] = ROUTES.map(([prefix, upstream, name]) => ({
  prefix,
  upstream,
  routeClass: ROUTE_CLASSES[name],
}));
const APP_WEBHOOK_ROUTE: Route = { upstream: 'webhook-dispatcher', routeClass: ROUTE_CLASSES.appWebhooks };

/** @param path as received, without its query; an escaped or differently cased spelling of a prefix does not match */
export function routeFor(path: string): Route | undefined {
  if (ELSEWHERE.some((prefix) => isBelow(path, prefix))) return undefined;
  const route = TABLE.find(({ prefix }) => isBelow(path, prefix));
  return route?.upstream === 'marketplace-certification' && APP_WEBHOOKS.test(path) ? APP_WEBHOOK_ROUTE : route;
}

export const upstreamFor = (path: string): Upstream | undefined => routeFor(path)?.upstream;

const HOOK = new RegExp(`^${HOOK_PATH}/([^/]+)/`);

/** The workflow id in the path of a hook, whether such a workflow exists or not. */
export function presentedHookId(path: string): string | undefined {
  return HOOK.exec(path)?.[1];
}
