import type { EventEnvelope } from './envelope.js';

/**
 * Whether an app may learn of an event, apart from its scopes. Events of custom objects name the apps that may see the
 * object; all others are open to every app that has the scope.
 */
export function isVisibleToApp(event: Pick<EventEnvelope, 'type' | 'appkeys'>, appKey: string): boolean {
  if (!event.type.startsWith('record.')) return true;
  return (event.appkeys ?? '').split(' ').includes(appKey);
}
