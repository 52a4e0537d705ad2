import { CORE_OBJECTS } from '@crm/contracts';
import type { CoreObjectDefinition } from './core-object.js';

/** Somebody who may become a customer. */
export const LEAD: CoreObjectDefinition = {
  object: 'lead',
  ...CORE_OBJECTS.lead,
  fields: [
    { name: 'firstName', type: 'text', maxLength: 120, searched: true },
    { name: 'lastName', type: 'text', maxLength: 120, required: true, searched: true, indexed: true },
    { name: 'email', type: 'email', maxLength: 254, searched: true, indexed: true },
    { name: 'phone', type: 'phone', maxLength: 40, searched: true, indexed: true },
    { name: 'companyName', type: 'text', maxLength: 200, searched: true, indexed: true },
    { name: 'status', type: 'text', maxLength: 40, indexed: true },
    { name: 'source', type: 'text', maxLength: 80, indexed: true },
    { name: 'ownerId', type: 'user', indexed: true },
  ],
  milestones: [],
};
