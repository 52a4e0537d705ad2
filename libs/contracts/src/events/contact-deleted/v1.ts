import { ContactRecord } from '../../records/core.js';
import { CONTACT_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const contactDeletedV1 = defineEvent({
  name: 'contact.deleted',
  version: 1,
  producer: 'custom-objects',
  description: 'A contact was deleted; the data is its last state',
  data: recordData(ContactRecord),
  example: { record: CONTACT_EXAMPLE },
});
