import { OpportunityRecord } from '../../records/core.js';
import { OPPORTUNITY_EXAMPLE } from '../../records/examples.js';
import { changedRecordData, changedRecordExample, defineEvent } from '../define.js';

export const dealUpdatedV1 = defineEvent({
  name: 'deal.updated',
  version: 1,
  producer: 'custom-objects',
  description: 'An opportunity was changed',
  data: changedRecordData(OpportunityRecord),
  example: changedRecordExample(OPPORTUNITY_EXAMPLE, { amount: 48_000, stage: 'negotiation' }),
});
