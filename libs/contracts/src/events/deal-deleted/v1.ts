import { OpportunityRecord } from '../../records/core.js';
import { OPPORTUNITY_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const dealDeletedV1 = defineEvent({
  name: 'deal.deleted',
  version: 1,
  producer: 'custom-objects',
  description: 'An opportunity was deleted; the data is its last state',
  data: recordData(OpportunityRecord),
  example: { record: OPPORTUNITY_EXAMPLE },
});
