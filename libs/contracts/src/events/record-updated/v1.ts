import Type from 'typebox';
import { defineEvent } from '../define.js';

/** A record of a custom object was changed; `changed` and `previous` too name only fields every role may read. */
export const recordUpdatedV1 = defineEvent({
  name: 'record.updated',
  version: 1,
  producer: 'custom-objects',
  data: Type.Object({
    /** Api-name of the object in the tenant. */
    object: Type.String(),
    /** Only fields that every role may read. */
    record: Type.Record(Type.String(), Type.Unknown()),
    changed: Type.Array(Type.String()),
    previous: Type.Record(Type.String(), Type.Unknown()),
    /** Set when both states together are too long for a message: `previous` is then empty. */
    previousOmitted: Type.Optional(Type.Literal(true)),
  }),
});
