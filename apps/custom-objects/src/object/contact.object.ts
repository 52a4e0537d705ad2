import { PHONE, standardObject, upTo } from './standard-object.js';

/** A person one does business with. */
export const CONTACT = standardObject('contact', {
  label: 'Contact',
  pluralLabel: 'Contacts',
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
    { key: 5, apiName: 'companyId', label: 'Company', type: 'reference', slot: 's4', targets: ['company'] },
  ],
});
