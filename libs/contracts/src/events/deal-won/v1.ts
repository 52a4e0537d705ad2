import { OpportunityRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** The status of an opportunity became won. */
export const dealWonV1 = defineEvent({
  name: 'deal.won',
  version: 1,
  producer: 'custom-objects',
  data: recordData(OpportunityRecord),
});
