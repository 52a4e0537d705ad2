import { CORE_OBJECTS, TASK_STATUSES } from '@crm/contracts';
import type { CoreObjectDefinition } from './core-object.js';

/** Something to be done. */
export const TASK: CoreObjectDefinition = {
  object: 'task',
  ...CORE_OBJECTS.task,
  fields: [
    { name: 'title', type: 'text', maxLength: 200, required: true, searched: true, indexed: true },
    { name: 'description', type: 'textarea', maxLength: 4000, searched: true },
    { name: 'dueAt', type: 'datetime', indexed: true },
    { name: 'status', type: 'picklist', options: TASK_STATUSES, required: true, default: 'open', indexed: true },
    { name: 'assigneeId', type: 'user', indexed: true },
    { name: 'relatedTo', type: 'reference', targets: ['lead', 'contact', 'company', 'opportunity'], indexed: true },
  ],
  milestones: [{ field: 'status', value: 'completed', event: 'task.completed' }],
};
