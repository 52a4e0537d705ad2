import { CompanyRecord } from '../../records/core.js';
import { COMPANY_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const companyDeletedV1 = defineEvent({
  name: 'company.deleted',
  version: 1,
  producer: 'custom-objects',
  description: 'A company was deleted; the data is its last state',
  data: recordData(CompanyRecord),
  example: { record: COMPANY_EXAMPLE },
});
