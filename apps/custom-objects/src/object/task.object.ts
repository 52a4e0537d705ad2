import { TASK_STATUSES } from '@crm/contracts';
import { standardObject, upTo } from './standard-object.js';

/** Something to be done. */
export const TASK = standardObject('task', {
  label: 'Task',
  pluralLabel: 'Tasks',
  nameField: 'title',
  fields: [
    { key: 1, apiName: 'title', label: 'Title', type: 'text', slot: 's1', required: true, validationRules: upTo(200) },
    {
      key: 2,
      apiName: 'description',
      label: 'Description',
      type: 'textarea',
      slot: null,
      validationRules: upTo(4000),
    },
    { key: 3, apiName: 'dueAt', label: 'Due', type: 'datetime', slot: 't1' },
    {
      key: 4,
      apiName: 'status',
      label: 'Status',
      type: 'picklist',
      slot: 's2',
      options: TASK_STATUSES,
      required: true,
      default: 'open',
    },
    { key: 5, apiName: 'assigneeId', label: 'Assignee', type: 'reference', slot: 's3' },
    {
      key: 6,
      apiName: 'relatedTo',
      label: 'Related to',
      type: 'reference',
      slot: 's4',
      targets: ['lead', 'contact', 'company', 'opportunity'],
    },
  ],
  milestones: [{ field: 'status', value: 'completed', event: 'task.completed' }],
});
