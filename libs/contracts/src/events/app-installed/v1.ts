import Type from 'typebox';
import { defineEvent } from '../define.js';

/** An app was installed and all it brings is in place. */
export const appInstalledV1 = defineEvent({
  name: 'app.installed',
  version: 1,
  producer: 'marketplace-certification',
  data: Type.Object({
    installationId: Type.String({ format: 'uuid' }),
    appKey: Type.String(),
    version: Type.String(),
    sandbox: Type.Boolean(),
  }),
});
