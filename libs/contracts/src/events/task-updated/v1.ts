import { TaskRecord } from '../../records/core.js';
import { changedRecordData, defineEvent } from '../define.js';

/** A task was changed. */
export const taskUpdatedV1 = defineEvent({
  name: 'task.updated',
  version: 1,
  producer: 'custom-objects',
  data: changedRecordData(TaskRecord),
});
