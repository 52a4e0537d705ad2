import type { CoreObject } from '@crm/contracts';
import { COMPANY } from '../company/company.object.js';
import { CONTACT } from '../contact/contact.object.js';
import { LEAD } from '../lead/lead.object.js';
import { OPPORTUNITY } from '../opportunity/opportunity.object.js';
import { TASK } from '../task/task.object.js';
import type { CoreObjectDefinition } from './core-object.js';

/** The five core objects by name. */
export const CORE_OBJECT_DEFINITIONS: Readonly<Record<CoreObject, CoreObjectDefinition>> = {
  lead: LEAD,
  contact: CONTACT,
  company: COMPANY,
  opportunity: OPPORTUNITY,
  task: TASK,
};
