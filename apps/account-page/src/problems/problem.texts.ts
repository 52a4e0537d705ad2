import type { Catalogue } from '@crm/ui';

interface ProblemTexts {
  readonly codes: Readonly<Record<string, string>>;
  readonly tooMany: (time: string) => string;
  readonly minutes: { readonly one: string; readonly other: string };
  readonly seconds: { readonly one: string; readonly other: string };
  readonly unknown: string;
}

/** What the codes of the API mean wherever this page meets them. */
export const PROBLEM_TEXTS: Catalogue<ProblemTexts> = {
  en: {
    codes: {
      INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
      WEAK_PASSWORD: 'Choose another password.',
      EMAIL_TAKEN: 'The address has an account by now. Sign in to that one, or choose another address.',
    },
    tooMany: (time) => `Too many attempts. Try again in ${time}.`,
    minutes: { one: '# minute', other: '# minutes' },
    seconds: { one: '# second', other: '# seconds' },
    unknown: 'Something went wrong on this page. Load it again.',
  },
  de: {
    codes: {
      INVALID_CREDENTIALS: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
      WEAK_PASSWORD: 'Wählen Sie ein anderes Passwort.',
      EMAIL_TAKEN:
        'Die Adresse hat inzwischen ein Konto. Melden Sie sich dort an, oder wählen Sie eine andere Adresse.',
    },
    tooMany: (time) => `Zu viele Versuche. Versuchen Sie es in ${time} noch einmal.`,
    minutes: { one: '# Minute', other: '# Minuten' },
    seconds: { one: '# Sekunde', other: '# Sekunden' },
    unknown: 'Auf dieser Seite ist etwas schiefgegangen. Laden Sie sie neu.',
  },
};
