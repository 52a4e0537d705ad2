import { CUSTOM_RECORD_EXAMPLE } from '../../records/examples.js';
import { customRecordData, defineEvent } from '../define.js';

export const recordCreatedV1 = defineEvent({
  name: 'record.created',
  version: 1,
  producer: 'custom-objects',
  description: 'A record of a custom object was created',
  data: customRecordData,
  example: { object: 'visit', record: CUSTOM_RECORD_EXAMPLE },
});
