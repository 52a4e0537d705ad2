import Type from 'typebox';
import { defineEvent } from '../define.js';

export const userDisabledV1 = defineEvent({
  name: 'user.disabled',
  version: 1,
  producer: 'identity',
  description: 'A user can no longer sign in',
  data: Type.Object({ userId: Type.String({ format: 'uuid' }), email: Type.String(), name: Type.String() }),
  example: { userId: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17', email: 'grace@globex.example.com', name: 'Grace Hopper' },
});
