/** Paths below `/api/crm/` by the names of standard objects. By itself, because pages take everything else from definitions. */
export const OBJECT_PATHS = {
  lead: 'leads',
  contact: 'contacts',
  company: 'companies',
  opportunity: 'opportunities',
  task: 'tasks',
} as const;
