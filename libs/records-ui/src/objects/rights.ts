import type { CallerView, StandardObjectName } from '@crm/api-client';

/** The scope that opens each object. */
export const SCOPE_OF: Readonly<Record<StandardObjectName | 'custom', string>> = {
  leads: 'leads',
  contacts: 'contacts',
  companies: 'companies',
  opportunities: 'pipeline',
  tasks: 'tasks',
  custom: 'custom_objects',
};

/** Roles that write records; every other role reads at most. */
const WRITERS = ['owner', 'admin', 'member'];

type Caller = Pick<CallerView, 'roles' | 'scopes'>;

/** What the page offers. The API decides again with every call. */
export const canRead = ({ scopes }: Caller, object: keyof typeof SCOPE_OF): boolean =>
  scopes.includes(SCOPE_OF[object]) || scopes.includes(`${SCOPE_OF[object]}:read`);

export const canWrite = ({ roles, scopes }: Caller, object: keyof typeof SCOPE_OF): boolean =>
  scopes.includes(SCOPE_OF[object]) && roles.some((role) => WRITERS.includes(role));
