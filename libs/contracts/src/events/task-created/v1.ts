import { TaskRecord } from '../../records/core.js';
import { TASK_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const taskCreatedV1 = defineEvent({
  name: 'task.created',
  version: 1,
  producer: 'custom-objects',
  description: 'A task was created',
  data: recordData(TaskRecord),
  example: { record: TASK_EXAMPLE },
});
