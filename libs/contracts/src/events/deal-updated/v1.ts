import { OpportunityRecord } from '../../records/core.js';
import { changedRecordData, defineEvent } from '../define.js';

/** An opportunity was changed. */
export const dealUpdatedV1 = defineEvent({
  name: 'deal.updated',
  version: 1,
  producer: 'custom-objects',
  data: changedRecordData(OpportunityRecord),
});
