import { LeadRecord } from '../../records/core.js';
import { changedRecordData, defineEvent } from '../define.js';

/** A lead was changed. */
export const leadUpdatedV1 = defineEvent({
  name: 'lead.updated',
  version: 1,
  producer: 'custom-objects',
  data: changedRecordData(LeadRecord),
});
