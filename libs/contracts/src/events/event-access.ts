import { CORE_OBJECTS } from '../objects.js';
import type { Scope } from '../scopes.js';
import type { EventEnvelope } from './envelope.js';
import { domainOf } from './event-pattern.js';

/**
 * Scopes are given by domain, so that a pattern such as `lead.*` needs the same one as each of its events, also of those
 * that join the domain later. Other domains need none: `app` and `user` are open to every app, and of `webhook` an app
 * receives only what concerns its own endpoints.
 */
const SCOPES_BY_DOMAIN: ReadonlyMap<string, Scope> = new Map<string, Scope>([
  ...Object.values(CORE_OBJECTS).map(({ domain, scope }) => [domain, `${scope}:read`] as const),
  ['record', 'custom_objects:read'],
]);

/**
 * The scope that an app needs to receive an event, or every event that a pattern stands for; undefined when it needs none.
 * @param event `domain.action` or `domain.*`
 */
export function eventScope(event: string): Scope | undefined {
  return SCOPES_BY_DOMAIN.get(domainOf(event));
}

/** Domains whose events name the apps that can see them in `appkeys`. */
const NAMES_ITS_APPS: ReadonlySet<string> = new Set(['record', 'webhook', 'submission']);

/**
 * Whether an app can learn of an event, apart from its scopes. Events of custom objects name the apps that can see the
 * object, and events of an endpoint the app that it belongs to, if any; events of submissions name none, because only their
 * publisher is concerned. All others are open to every app that has the scope.
 */
export function isVisibleToApp(event: Pick<EventEnvelope, 'type' | 'appkeys'>, appKey: string): boolean {
  if (!NAMES_ITS_APPS.has(domainOf(event.type))) return true;
  return (event.appkeys ?? '').split(' ').includes(appKey);
}
