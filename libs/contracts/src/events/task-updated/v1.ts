import { TaskRecord } from '../../records/core.js';
import { TASK_EXAMPLE } from '../../records/examples.js';
import { changedRecordData, changedRecordExample, defineEvent } from '../define.js';

export const taskUpdatedV1 = defineEvent({
  name: 'task.updated',
  version: 1,
  producer: 'custom-objects',
  description: 'A task was changed',
  data: changedRecordData(TaskRecord),
  example: changedRecordExample(TASK_EXAMPLE, { dueAt: '2026-03-06T09:00:00.000Z' }),
});
