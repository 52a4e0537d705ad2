import { PERSON_FIELDS } from './person-fields.js';
import { standardObject, upTo } from './standard-object.js';

/** Somebody who may become a customer. */
export const LEAD = standardObject('lead', {
  label: 'Lead',
  pluralLabel: 'Leads',
  nameField: 'lastName',
  fields: [
    ...PERSON_FIELDS,
    { key: 5, apiName: 'companyName', label: 'Company', type: 'text', slot: 's4', validationRules: upTo(200) },
    { key: 6, apiName: 'status', label: 'Status', type: 'text', slot: 's5', validationRules: upTo(40) },
    { key: 7, apiName: 'source', label: 'Source', type: 'text', slot: 's6', validationRules: upTo(80) },
    { key: 8, apiName: 'ownerId', label: 'Owner', type: 'reference', slot: 's7' },
  ],
});
