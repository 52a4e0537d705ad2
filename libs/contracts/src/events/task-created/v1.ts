import { TaskRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** A task was created. */
export const taskCreatedV1 = defineEvent({
  name: 'task.created',
  version: 1,
  producer: 'custom-objects',
  data: recordData(TaskRecord),
});
