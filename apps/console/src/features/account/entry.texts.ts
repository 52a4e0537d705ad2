import { catalogue } from '@crm/ui';

/** How people sign in to a workspace that they are about to join, when their present password is not enough. */
export const ENTRY_TEXTS = catalogue({
  en: {
    entries: {
      new_password: 'You have no password yet. Once you have accepted, ask for one with “Forgot password”.',
      identity_provider: 'This workspace takes no passwords: you sign in to it with its identity provider.',
    },
  },
  de: {
    entries: {
      new_password:
        'Sie haben noch kein Passwort. Wenn Sie angenommen haben, fordern Sie eines über „Passwort vergessen“ an.',
      identity_provider:
        'Dieser Arbeitsbereich nimmt keine Passwörter: Sie melden sich dort bei seinem Identitätsanbieter an.',
    },
  },
});
