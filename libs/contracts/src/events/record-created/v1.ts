import Type from 'typebox';
import { defineEvent } from '../define.js';

/** A record of a custom object was created. */
export const recordCreatedV1 = defineEvent({
  name: 'record.created',
  version: 1,
  producer: 'custom-objects',
  data: Type.Object({
    /** Api-name of the object in the tenant. */
    object: Type.String(),
    /** Only fields that every role may read. */
    record: Type.Record(Type.String(), Type.Unknown()),
  }),
});
