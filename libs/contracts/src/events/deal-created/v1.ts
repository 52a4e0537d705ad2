import { OpportunityRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** An opportunity was created. */
export const dealCreatedV1 = defineEvent({
  name: 'deal.created',
  version: 1,
  producer: 'custom-objects',
  data: recordData(OpportunityRecord),
});
