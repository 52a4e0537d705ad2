import { LeadRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** A lead was created. */
export const leadCreatedV1 = defineEvent({
  name: 'lead.created',
  version: 1,
  producer: 'custom-objects',
  data: recordData(LeadRecord),
});
