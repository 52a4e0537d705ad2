import { PHONE, standardObject, upTo } from './standard-object.js';

/** An organisation. */
export const COMPANY = standardObject('company', {
  label: 'Company',
  pluralLabel: 'Companies',
  nameField: 'name',
  fields: [
    { key: 1, apiName: 'name', label: 'Name', type: 'text', slot: 's1', required: true, validationRules: upTo(200) },
    { key: 2, apiName: 'website', label: 'Website', type: 'url', slot: null, validationRules: upTo(2048) },
    { key: 3, apiName: 'phone', label: 'Phone', type: 'text', slot: 's2', validationRules: PHONE },
  ],
});
