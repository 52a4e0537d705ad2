import { ContactRecord } from '../../records/core.js';
import { CONTACT_EXAMPLE } from '../../records/examples.js';
import { defineEvent, recordData } from '../define.js';

export const contactCreatedV1 = defineEvent({
  name: 'contact.created',
  version: 1,
  producer: 'custom-objects',
  description: 'A contact was created',
  data: recordData(ContactRecord),
  example: { record: CONTACT_EXAMPLE },
});
