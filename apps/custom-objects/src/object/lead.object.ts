import { PHONE, standardObject, upTo } from './standard-object.js';

/** Somebody who may become a customer. */
export const LEAD = standardObject('lead', {
  label: 'Lead',
  pluralLabel: 'Leads',
  nameField: 'lastName',
  fields: [
    { key: 1, apiName: 'firstName', label: 'First name', type: 'text', slot: null, validationRules: upTo(120) },
    {
      key: 2,
      apiName: 'lastName',
      label: 'Last name',
      type: 'text',
      slot: 's1',
      required: true,
      validationRules: upTo(120),
    },
    { key: 3, apiName: 'email', label: 'E-mail', type: 'email', slot: 's2', validationRules: upTo(254) },
    { key: 4, apiName: 'phone', label: 'Phone', type: 'text', slot: 's3', validationRules: PHONE },
    { key: 5, apiName: 'companyName', label: 'Company', type: 'text', slot: 's4', validationRules: upTo(200) },
    { key: 6, apiName: 'status', label: 'Status', type: 'text', slot: 's5', validationRules: upTo(40) },
    { key: 7, apiName: 'source', label: 'Source', type: 'text', slot: 's6', validationRules: upTo(80) },
    { key: 8, apiName: 'ownerId', label: 'Owner', type: 'reference', slot: 's7' },
  ],
});
