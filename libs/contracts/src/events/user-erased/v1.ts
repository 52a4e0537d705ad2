import Type from 'typebox';
import { defineEvent } from '../define.js';

export const userErasedV1 = defineEvent({
  name: 'user.erased',
  version: 1,
  producer: 'identity',
  description: 'A user was erased: whoever keeps personal data of them must delete it',
  data: Type.Object({ userId: Type.String({ format: 'uuid' }) }),
  example: { userId: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17' },
});
