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
    previousVersion: Type.String(),
  }),
  example: {
    installationId: '019ca8c4-8d20-7b95-a1e6-3f7c5d9b2e08',
    appKey: 'acme-visits',
    version: '1.2.0',
    sandbox: false,
    previousVersion: '1.1.0',
  },
});
