import type { Catalogue } from '@crm/ui';

interface PasswordTexts {
  readonly label: string;
  readonly hint: string;
  readonly show: string;
  readonly hide: string;
  /** Why a password is refused, by the code of the API. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly otherReason: string;
}

export const PASSWORD_TEXTS: Catalogue<PasswordTexts> = {
  en: {
    label: 'New password',
    hint: 'At least 12 characters of any kind. Several words that do not belong together are good.',
    show: 'Show the password',
    hide: 'Hide the password',
    reasons: {
      COMMON_PASSWORD: 'This password is among the first that an attacker tries. Choose one that is harder to guess.',
      OWN_DATA_PASSWORD:
        'This password is made of your name, address or workspace. Choose one that has nothing to do with you.',
      SAME_PASSWORD: 'This is your present password. Choose a new one.',
    },
    otherReason: 'Use 12 to 256 characters.',
  },
  de: {
    label: 'Neues Passwort',
    hint: 'Mindestens 12 beliebige Zeichen. Gut sind mehrere Wörter, die nicht zusammengehören.',
    show: 'Passwort anzeigen',
    hide: 'Passwort verbergen',
    reasons: {
      COMMON_PASSWORD:
        'Dieses Passwort probieren Angreifer als eines der ersten. Wählen Sie eines, das schwerer zu erraten ist.',
      OWN_DATA_PASSWORD:
        'Dieses Passwort besteht aus Ihrem Namen, Ihrer Adresse oder Ihrem Arbeitsbereich. Wählen Sie eines, das nichts mit Ihnen zu tun hat.',
      SAME_PASSWORD: 'Das ist Ihr jetziges Passwort. Wählen Sie ein neues.',
    },
    otherReason: 'Verwenden Sie 12 bis 256 Zeichen.',
  },
};
