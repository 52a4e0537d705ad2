import { CORE_OBJECTS } from '@crm/contracts';
import type { CoreObjectDefinition } from './core-object.js';

/** An organisation. */
export const COMPANY: CoreObjectDefinition = {
  object: 'company',
  ...CORE_OBJECTS.company,
  fields: [
    { name: 'name', type: 'text', maxLength: 200, required: true, searched: true, indexed: true },
    { name: 'website', type: 'url', maxLength: 2048, searched: true },
    { name: 'phone', type: 'phone', maxLength: 40, searched: true, indexed: true },
  ],
  milestones: [],
};
