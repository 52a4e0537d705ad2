import { TaskRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** A task was deleted; the data is its last state. */
export const taskDeletedV1 = defineEvent({
  name: 'task.deleted',
  version: 1,
  producer: 'custom-objects',
  data: recordData(TaskRecord),
});
