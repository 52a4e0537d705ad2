import { CORE_OBJECTS, OPPORTUNITY_STATUSES } from '@crm/contracts';
import type { CoreObjectDefinition } from './core-object.js';

/** A deal in the pipeline. Its events carry the domain name `deal`. */
export const OPPORTUNITY: CoreObjectDefinition = {
  object: 'opportunity',
  ...CORE_OBJECTS.opportunity,
  fields: [
    { name: 'name', type: 'text', maxLength: 200, required: true, searched: true, indexed: true },
    { name: 'amount', type: 'number', indexed: true },
    { name: 'currency', type: 'text', maxLength: 3, indexed: true },
    { name: 'stage', type: 'text', maxLength: 80, searched: true, indexed: true },
    {
      name: 'status',
      type: 'picklist',
      options: OPPORTUNITY_STATUSES,
      required: true,
      default: 'open',
      indexed: true,
    },
    { name: 'closeDate', type: 'date', indexed: true },
    { name: 'companyId', type: 'reference', targets: ['company'], indexed: true },
    { name: 'contactId', type: 'reference', targets: ['contact'], indexed: true },
  ],
  milestones: [
    { field: 'status', value: 'won', event: 'deal.won' },
    { field: 'status', value: 'lost', event: 'deal.lost' },
  ],
};
