import Type from 'typebox';
import { defineEvent } from '../define.js';

export const userCreatedV1 = defineEvent({
  name: 'user.created',
  version: 1,
  producer: 'identity',
  description: 'A user joined the workspace',
  data: Type.Object({ userId: Type.String({ format: 'uuid' }), email: Type.String(), name: Type.String() }),
  example: { userId: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17', email: 'grace@globex.example.com', name: 'Grace Hopper' },
});
