import { ContactRecord } from '../../records/core.js';
import { defineEvent, recordData } from '../define.js';

/** A contact was deleted; the data is its last state. */
export const contactDeletedV1 = defineEvent({
  name: 'contact.deleted',
  version: 1,
  producer: 'custom-objects',
  data: recordData(ContactRecord),
});
