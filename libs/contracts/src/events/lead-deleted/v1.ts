import { LeadRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** A lead was deleted; the data is its last state. */
export const leadDeletedV1 = defineEvent({
  name: 'lead.deleted',
  version: 1,
  producer: 'custom-objects',
  data: recordData(LeadRecord),
});
