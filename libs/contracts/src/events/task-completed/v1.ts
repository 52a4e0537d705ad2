import { TaskRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** The status of a task became completed. */
export const taskCompletedV1 = defineEvent({
  name: 'task.completed',
  version: 1,
  producer: 'custom-objects',
  data: recordData(TaskRecord),
});
