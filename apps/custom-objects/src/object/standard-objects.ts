import type { CoreObject } from '@crm/contracts';
import { COMPANY } from './company.object.js';
import { CONTACT } from './contact.object.js';
import { LEAD } from './lead.object.js';
import type { ObjectDefinition } from './object-definition.js';
import { OPPORTUNITY } from './opportunity.object.js';
import { TASK } from './task.object.js';

/** The objects that every tenant has, by name. */
export const STANDARD_OBJECTS: Readonly<Record<CoreObject, ObjectDefinition>> = {
  lead: LEAD,
  contact: CONTACT,
  company: COMPANY,
  opportunity: OPPORTUNITY,
  task: TASK,
};

/** @returns undefined when no standard object has this name */
export const standardObjectNamed = (name: string): ObjectDefinition | undefined =>
  Object.hasOwn(STANDARD_OBJECTS, name) ? STANDARD_OBJECTS[name as CoreObject] : undefined;

/** @returns undefined when no standard object has this id */
export const standardObjectWithId = (id: string): ObjectDefinition | undefined =>
  Object.values(STANDARD_OBJECTS).find((object) => object.id === id);
