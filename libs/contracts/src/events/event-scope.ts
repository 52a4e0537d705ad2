import type { Scope } from '../scopes.js';

/** By the event's domain. Other domains (`app`, `user`) are open to every app. */
const SCOPES_BY_DOMAIN: Readonly<Record<string, Scope>> = {
  lead: 'leads:read',
  contact: 'contacts:read',
  company: 'companies:read',
  deal: 'pipeline:read',
  task: 'tasks:read',
  record: 'custom_objects:read',
};

/**
 * The scope that an app needs to receive an event; undefined when it needs none.
 * @param event `domain.action`
 */
export function eventScope(event: string): Scope | undefined {
  const domain = event.slice(0, event.indexOf('.'));
  return Object.hasOwn(SCOPES_BY_DOMAIN, domain) ? SCOPES_BY_DOMAIN[domain] : undefined;
}
