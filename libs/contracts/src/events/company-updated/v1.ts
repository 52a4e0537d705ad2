import { CompanyRecord } from '../../records/core.js';
import { COMPANY_EXAMPLE } from '../../records/examples.js';
import { changedRecordData, changedRecordExample, defineEvent } from '../define.js';

export const companyUpdatedV1 = defineEvent({
  name: 'company.updated',
  version: 1,
  producer: 'custom-objects',
  description: 'A company was changed',
  data: changedRecordData(CompanyRecord),
  example: changedRecordExample(COMPANY_EXAMPLE, { website: 'https://www.example.com/' }),
});
