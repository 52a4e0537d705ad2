import { CORE_OBJECTS } from '@crm/contracts';
import type { CoreObjectDefinition } from './core-object.js';

/** A person one does business with. */
export const CONTACT: CoreObjectDefinition = {
  object: 'contact',
  ...CORE_OBJECTS.contact,
  fields: [
    { name: 'firstName', type: 'text', maxLength: 120, searched: true },
    { name: 'lastName', type: 'text', maxLength: 120, required: true, searched: true, indexed: true },
    { name: 'email', type: 'email', maxLength: 254, searched: true, indexed: true },
    { name: 'phone', type: 'phone', maxLength: 40, searched: true, indexed: true },
    { name: 'companyId', type: 'reference', targets: ['company'], indexed: true },
  ],
  milestones: [],
};
