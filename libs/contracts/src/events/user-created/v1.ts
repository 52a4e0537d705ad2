import Type from 'typebox';
import { defineEvent } from '../define.js';

/** A user joined the workspace. */
export const userCreatedV1 = defineEvent({
  name: 'user.created',
  version: 1,
  producer: 'identity',
  data: Type.Object({ userId: Type.String({ format: 'uuid' }), email: Type.String(), name: Type.String() }),
});
