import { PHONE, type StandardField, upTo } from './standard-object.js';

/** What leads and contacts have in common, with the same keys and slots. */
export const PERSON_FIELDS: readonly StandardField[] = [
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
];
