import { CUSTOM_RECORD_EXAMPLE } from '../../records/examples.js';
import { changedCustomRecordData, changedRecordExample, defineEvent } from '../define.js';

export const recordUpdatedV1 = defineEvent({
  name: 'record.updated',
  version: 1,
  producer: 'custom-objects',
  description: 'A record of a custom object was changed',
  data: changedCustomRecordData,
  example: { object: 'visit', ...changedRecordExample(CUSTOM_RECORD_EXAMPLE, { hours: 5 }) },
});
