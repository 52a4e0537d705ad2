import { ContactRecord } from '../../records/core.js';
import { changedRecordData, defineEvent } from '../define.js';

/** A contact was changed. */
export const contactUpdatedV1 = defineEvent({
  name: 'contact.updated',
  version: 1,
  producer: 'custom-objects',
  data: changedRecordData(ContactRecord),
});
