import { LeadRecord } from '../../records/core.js';
import { LEAD_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const leadCreatedV1 = defineEvent({
  name: 'lead.created',
  version: 1,
  producer: 'custom-objects',
  description: 'A lead was created',
  data: recordData(LeadRecord),
  example: { record: LEAD_EXAMPLE },
});
