import { TaskRecord } from '../../records/core.js';
import { TASK_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const taskDeletedV1 = defineEvent({
  name: 'task.deleted',
  version: 1,
  producer: 'custom-objects',
  description: 'A task was deleted; the data is its last state',
  data: recordData(TaskRecord),
  example: { record: TASK_EXAMPLE },
});
