import type { CoreObject } from '@crm/contracts';
import { COMPANY } from './company.object.js';
import { CONTACT } from './contact.object.js';
import type { CoreObjectDefinition } from './core-object.js';
import { LEAD } from './lead.object.js';
import { OPPORTUNITY } from './opportunity.object.js';
import { TASK } from './task.object.js';

/** The five core objects by name. */
export const CORE_OBJECT_DEFINITIONS: Readonly<Record<CoreObject, CoreObjectDefinition>> = {
  lead: LEAD,
  contact: CONTACT,
  company: COMPANY,
  opportunity: OPPORTUNITY,
  task: TASK,
};
