import { PERSON_FIELDS } from './person-fields.js';
import { standardObject } from './standard-object.js';

/** A person one does business with. */
export const CONTACT = standardObject('contact', {
  label: 'Contact',
  pluralLabel: 'Contacts',
  nameField: 'lastName',
  fields: [
    ...PERSON_FIELDS,
    { key: 5, apiName: 'companyId', label: 'Company', type: 'reference', slot: 's4', targets: ['company'] },
  ],
});
