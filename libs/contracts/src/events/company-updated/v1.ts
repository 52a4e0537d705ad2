import { CompanyRecord } from '../../records/core.js';
import { changedRecordData, defineEvent } from '../define.js';

/** A company was changed. */
export const companyUpdatedV1 = defineEvent({
  name: 'company.updated',
  version: 1,
  producer: 'custom-objects',
  data: changedRecordData(CompanyRecord),
});
