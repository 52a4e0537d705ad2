/** Where the records of standard objects are, below `/api/crm/`: what pages need of the catalogue before the API has answered. */
export const OBJECT_PATHS = {
  lead: 'leads',
  contact: 'contacts',
  company: 'companies',
  opportunity: 'opportunities',
  task: 'tasks',
} as const;
