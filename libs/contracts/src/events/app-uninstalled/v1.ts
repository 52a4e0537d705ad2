import Type from 'typebox';
import { defineEvent } from '../define.js';

export const appUninstalledV1 = defineEvent({
  name: 'app.uninstalled',
  version: 1,
  producer: 'marketplace-certification',
  description: 'An app was removed; the last event of the installation that the app itself gets',
  data: Type.Object({
    installationId: Type.String({ format: 'uuid' }),
    appKey: Type.String(),
    version: Type.String(),
    sandbox: Type.Boolean(),
  }),
  example: {
    installationId: '019ca8c4-8d20-7b95-a1e6-3f7c5d9b2e08',
    appKey: 'acme-visits',
    version: '1.2.0',
    sandbox: false,
  },
});
