import Type from 'typebox';
import { defineEvent } from '../define.js';

/** A user can no longer sign in. */
export const userDisabledV1 = defineEvent({
  name: 'user.disabled',
  version: 1,
  producer: 'identity',
  data: Type.Object({ userId: Type.String({ format: 'uuid' }), email: Type.String(), name: Type.String() }),
});
