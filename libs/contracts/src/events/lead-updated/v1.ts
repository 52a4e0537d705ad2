import { LeadRecord } from '../../records/core.js';
import { changedRecordData, defineEvent } from '../define.js';

/** A lead was changed. */
export const leadUpdatedV1 = defineEvent({
  name: 'lead.updated',
  version: 1,
  producer: 'crm',
  data: changedRecordData(LeadRecord),
});
