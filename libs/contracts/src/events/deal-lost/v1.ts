import { OpportunityRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** The status of an opportunity became lost. */
export const dealLostV1 = defineEvent({
  name: 'deal.lost',
  version: 1,
  producer: 'custom-objects',
  data: recordData(OpportunityRecord),
});
