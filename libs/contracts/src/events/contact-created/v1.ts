import { ContactRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** A contact was created. */
export const contactCreatedV1 = defineEvent({
  name: 'contact.created',
  version: 1,
  producer: 'custom-objects',
  data: recordData(ContactRecord),
});
