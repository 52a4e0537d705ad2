import { CUSTOM_RECORD_EXAMPLE } from '../../records/examples.js';
import { customRecordData, defineEvent } from '../define.js';

export const recordDeletedV1 = defineEvent({
  name: 'record.deleted',
  version: 1,
  producer: 'custom-objects',
  description: 'A record of a custom object was deleted; the data is its last state',
  data: customRecordData,
  example: { object: 'visit', record: CUSTOM_RECORD_EXAMPLE },
});
