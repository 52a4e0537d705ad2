import Type from 'typebox';
import { defineEvent } from '../define.js';

/** An app was removed. */
export const appUninstalledV1 = defineEvent({
  name: 'app.uninstalled',
  version: 1,
  producer: 'marketplace-certification',
  data: Type.Object({
    installationId: Type.String({ format: 'uuid' }),
    appKey: Type.String(),
    version: Type.String(),
    sandbox: Type.Boolean(),
  }),
});
