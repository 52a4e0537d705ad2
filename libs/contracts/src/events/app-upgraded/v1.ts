import Type from 'typebox';
import { defineEvent } from '../define.js';

/** An installation moved to another version. */
export const appUpgradedV1 = defineEvent({
  name: 'app.upgraded',
  version: 1,
  producer: 'marketplace-certification',
  data: Type.Object({
    installationId: Type.String({ format: 'uuid' }),
    appKey: Type.String(),
    version: Type.String(),
    sandbox: Type.Boolean(),
    previousVersion: Type.String(),
  }),
});
