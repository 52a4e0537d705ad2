import type { Scope } from '../scopes.js';
import { domainOf } from './event-pattern.js';

/**
 * Scopes are given by domain, so that a pattern such as `lead.*` needs the same one as each of its events, also of those
 * that join the domain later. Other domains need none: `app` and `user` are open to every app, and of `webhook` an app
 * receives only what concerns its own endpoints.
 */
const SCOPES_BY_DOMAIN: Readonly<Record<string, Scope>> = {
  lead: 'leads:read',
  contact: 'contacts:read',
  company: 'companies:read',
  deal: 'pipeline:read',
  task: 'tasks:read',
  record: 'custom_objects:read',
};

/**
 * The scope that an app needs to receive an event, or every event that a pattern stands for; undefined when it needs none.
 * @param event `domain.action` or `domain.*`
 */
export function eventScope(event: string): Scope | undefined {
  const domain = domainOf(event);
  return Object.hasOwn(SCOPES_BY_DOMAIN, domain) ? SCOPES_BY_DOMAIN[domain] : undefined;
}
