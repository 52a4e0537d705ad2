import Type from 'typebox';
import { defineEvent } from '../define.js';

export const appUpgradedV1 = defineEvent({
  name: 'app.upgraded',
  version: 1,
  producer: 'marketplace-certification',
  description: 'An installation moved to another version',
  data: Type.Object({
    installationId: Type.String({ format: 'uuid' }),
    appKey: Type.String(),
    version: Type.String(),
    sandbox: Type.Boolean(),
    requestedBy: Type.Optional(Type.String({ format: 'uuid', description: 'The user who asked for it' })),
    previousVersion: Type.String(),
  }),
  example: {
    installationId: '019ca8c4-8d20-7b95-a1e6-3f7c5d9b2e08',
    appKey: 'acme-visits',
    version: '1.2.0',
    sandbox: false,
    requestedBy: '019ca8c2-1f5a-7c3e-9d41-2b6f0a8e5c17',
    previousVersion: '1.1.0',
  },
});
