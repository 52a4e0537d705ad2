import { OpportunityRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** An opportunity was deleted; the data is its last state. */
export const dealDeletedV1 = defineEvent({
  name: 'deal.deleted',
  version: 1,
  producer: 'custom-objects',
  data: recordData(OpportunityRecord),
});
