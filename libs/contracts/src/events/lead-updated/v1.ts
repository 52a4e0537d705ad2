import { LeadRecord } from '../../records/core.js';
import { LEAD_EXAMPLE } from '../../records/examples.js';
import { changedRecordData, changedRecordExample, defineEvent } from '../define.js';

export const leadUpdatedV1 = defineEvent({
  name: 'lead.updated',
  version: 1,
  producer: 'custom-objects',
  description: 'A lead was changed',
  data: changedRecordData(LeadRecord),
  example: changedRecordExample(LEAD_EXAMPLE, { status: 'qualified' }),
});
