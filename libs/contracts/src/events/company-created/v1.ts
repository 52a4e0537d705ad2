import { CompanyRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** A company was created. */
export const companyCreatedV1 = defineEvent({
  name: 'company.created',
  version: 1,
  producer: 'custom-objects',
  data: recordData(CompanyRecord),
});
