import Type from 'typebox';
import { defineEvent } from '../define.js';

/** A record of a custom object was deleted; the data is its last state. */
export const recordDeletedV1 = defineEvent({
  name: 'record.deleted',
  version: 1,
  producer: 'custom-objects',
  data: Type.Object({
    /** Api-name of the object in the tenant. */
    object: Type.String(),
    /** Only fields that every role may read. */
    record: Type.Record(Type.String(), Type.Unknown()),
  }),
});
