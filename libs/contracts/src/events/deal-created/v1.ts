import { OpportunityRecord } from '../../records/core.js';
import { OPPORTUNITY_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const dealCreatedV1 = defineEvent({
  name: 'deal.created',
  version: 1,
  producer: 'custom-objects',
  description: 'An opportunity was created',
  data: recordData(OpportunityRecord),
  example: { record: OPPORTUNITY_EXAMPLE },
});
