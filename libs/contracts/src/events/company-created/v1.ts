import { CompanyRecord } from '../../records/core.js';
import { COMPANY_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const companyCreatedV1 = defineEvent({
  name: 'company.created',
  version: 1,
  producer: 'custom-objects',
  description: 'A company was created',
  data: recordData(CompanyRecord),
  example: { record: COMPANY_EXAMPLE },
});
