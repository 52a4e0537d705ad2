import { TaskRecord } from '../../records/core.js';
import { TASK_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const taskCompletedV1 = defineEvent({
  name: 'task.completed',
  version: 1,
  producer: 'custom-objects',
  description: 'The status of a task became completed',
  data: recordData(TaskRecord),
  example: { record: { ...TASK_EXAMPLE, version: 2, status: 'completed' } },
});
