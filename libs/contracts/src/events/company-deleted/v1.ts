import { CompanyRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** A company was deleted; the data is its last state. */
export const companyDeletedV1 = defineEvent({
  name: 'company.deleted',
  version: 1,
  producer: 'custom-objects',
  data: recordData(CompanyRecord),
});
