import { ContactRecord } from '../../records/core.js';
import { CONTACT_EXAMPLE } from '../../records/examples.js';
import { changedRecordData, changedRecordExample, defineEvent } from '../define.js';

export const contactUpdatedV1 = defineEvent({
  name: 'contact.updated',
  version: 1,
  producer: 'custom-objects',
  description: 'A contact was changed',
  data: changedRecordData(ContactRecord),
  example: changedRecordExample(CONTACT_EXAMPLE, { phone: '+44 20 7946 0018' }),
});
