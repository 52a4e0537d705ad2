import { HOOK_PATH, type ServiceName } from '@crm/contracts';
import type { ForwardRoute } from '@crm/runtime/proxy';
import { ROUTE_CLASSES, type RouteClass, type RouteClassName } from './route-class.js';

/** The services behind the gateway. */
export type Upstream = Extract<
  ServiceName,
  'identity' | 'custom-objects' | 'marketplace-certification' | 'automation-hooks' | 'webhook-dispatcher'
>;

/** What kind of calls a route is for: `route-class.ts` says what follows. A prefix matches itself and everything below it. */
export const ROUTES: readonly (readonly [prefix: string, upstream: Upstream, routeClass: RouteClassName])[] = [
  ['/.well-known/jwks.json', 'identity', 'api'],
  ['/api/auth/login', 'identity', 'credentials'],
  ['/api/auth/register', 'identity', 'credentials'],
  ['/api/auth/refresh', 'identity', 'credentials'],
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

/** What links in mails name, and what belongs to the account page. None is below a routed prefix. */
export const ACCOUNT_PAGE_PATHS = [
  '/account',
  '/account/:view',
  '/email-change',
  '/email-change/undo',
  '/invitation',
  '/password-reset',
  '/undo-link',
  '/verify-email',
] as const;

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
const APP_WEBHOOK_ROUTE: Route = { upstream: 'webhook-dispatcher', routeClass: ROUTE_CLASSES.api };

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
