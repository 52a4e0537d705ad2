import type { Catalogue } from '@crm/ui';

interface ChangeTexts {
  readonly lead: string;
  readonly current: string;
  readonly submit: string;
  readonly codeText: string;
  readonly doneTitle: string;
  readonly doneText: string;
  readonly problems: Readonly<Record<string, string>>;
  readonly codeProblems: Readonly<Record<string, string>>;
}

export const CHANGE_TEXTS: Catalogue<ChangeTexts> = {
  en: {
    lead: 'All your other sessions end with it, and so do API keys and the access of apps.',
    current: 'Present password',
    submit: 'Change the password',
    codeText: 'Type in the code of your authenticator app, or the one that was sent to you by e-mail.',
    doneTitle: 'Your password is changed',
    doneText: 'All your other sessions have ended, and so have API keys and the access of apps. A mail to you says so.',
    problems: { INVALID_CREDENTIALS: 'The present password is wrong.' },
    codeProblems: {
      INVALID_CREDENTIALS: 'This code is wrong, was used, or comes too late.',
      CONFLICT: 'The password was changed elsewhere meanwhile.',
    },
  },
  de: {
    lead: 'Alle Ihre anderen Sitzungen enden damit, ebenso API-Schlüssel und der Zugriff von Apps.',
    current: 'Jetziges Passwort',
    submit: 'Passwort ändern',
    codeText: 'Geben Sie den Code Ihrer Authenticator-App ein oder den, der Ihnen per E-Mail geschickt wurde.',
    doneTitle: 'Ihr Passwort ist geändert',
    doneText:
      'Alle Ihre anderen Sitzungen sind beendet, ebenso API-Schlüssel und der Zugriff von Apps. Darüber geht Ihnen eine E-Mail zu.',
    problems: { INVALID_CREDENTIALS: 'Das jetzige Passwort ist falsch.' },
    codeProblems: {
      INVALID_CREDENTIALS: 'Dieser Code ist falsch, wurde schon verwendet oder kommt zu spät.',
      CONFLICT: 'Das Passwort wurde inzwischen anderswo geändert.',
    },
  },
};
