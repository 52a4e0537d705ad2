import { LeadRecord } from '../../records/core.js';
import { LEAD_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const leadDeletedV1 = defineEvent({
  name: 'lead.deleted',
  version: 1,
  producer: 'custom-objects',
  description: 'A lead was deleted; the data is its last state',
  data: recordData(LeadRecord),
  example: { record: LEAD_EXAMPLE },
});
