import type { Scope, ScopeName } from '@crm/contracts';
import type { RequestedScopeView } from './consent.dto.js';

const THINGS: Readonly<Record<ScopeName, string>> = {
  leads: 'leads',
  contacts: 'contacts',
  companies: 'companies',
  pipeline: 'opportunities',
  tasks: 'tasks',
  custom_objects: 'records of custom objects that the app can see',
  automations: 'workflows and their runs',
  webhooks: 'webhook subscriptions and their deliveries',
  agent: 'conversations with assistants',
};

/** A scope as the user who consents is shown it. */
export function describeScope(name: Scope, required: boolean): RequestedScopeView {
  const writes = !name.endsWith(':read');
  const thing = THINGS[name.replace(/:read$/, '') as ScopeName];
  return { name, description: writes ? `See and change ${thing}` : `See ${thing}`, writes, required };
}
