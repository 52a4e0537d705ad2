import type { EventEnvelope } from './envelope.js';
import { domainOf } from './event-pattern.js';

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
