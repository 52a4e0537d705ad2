import { OpportunityRecord } from '../../records/core.js';
import { OPPORTUNITY_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const dealWonV1 = defineEvent({
  name: 'deal.won',
  version: 1,
  producer: 'custom-objects',
  description: 'The status of an opportunity became won',
  data: recordData(OpportunityRecord),
  example: { record: { ...OPPORTUNITY_EXAMPLE, version: 4, status: 'won', stage: 'closed' } },
});
