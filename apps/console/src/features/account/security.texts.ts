import { catalogue } from '@crm/ui';

export type TopicName = 'workspaces' | 'sessions' | 'passkeys' | 'secondFactor' | 'apps' | 'apiKeys' | 'password';

export const SECURITY_TEXTS = catalogue({
  en: {
    topics: {
      workspaces: { title: 'Workspaces', text: 'Where you work, and what is offered to you' },
      sessions: { title: 'Sessions', text: 'Where you are signed in' },
      passkeys: { title: 'Passkeys', text: 'Sign in without a password' },
      secondFactor: { title: 'Second factor', text: 'Codes that are asked for besides the password' },
      apps: { title: 'Apps with access', text: 'What works in your name' },
      apiKeys: { title: 'API keys', text: 'With which your programs call' },
      password: { title: 'Password', text: 'Choose a new one' },
    },
    back: 'Back to the overview',
    lastUsed: 'Last used',
    lost: '(taken away)',
    gone: 'Withdrawn',
    never: 'not yet',
    appOf: (publisher: string) => `An app of ${publisher}.`,
    needed: 'The app cannot work without it',
    reads: 'Reads only',
    writes: 'Reads and changes',
  },
  de: {
    topics: {
      workspaces: { title: 'Arbeitsbereiche', text: 'Wo Sie arbeiten, und was Ihnen angeboten wird' },
      sessions: { title: 'Sitzungen', text: 'Wo Sie angemeldet sind' },
      passkeys: { title: 'Passkeys', text: 'Ohne Passwort anmelden' },
      secondFactor: { title: 'Zweiter Faktor', text: 'Codes, die außer dem Passwort verlangt werden' },
      apps: { title: 'Apps mit Zugriff', text: 'Was in Ihrem Namen arbeitet' },
      apiKeys: { title: 'API-Schlüssel', text: 'Womit Ihre Programme zugreifen' },
      password: { title: 'Passwort', text: 'Ein neues wählen' },
    },
    back: 'Zurück zur Übersicht',
    lastUsed: 'Zuletzt verwendet',
    lost: '(weggenommen)',
    gone: 'Zurückgezogen',
    never: 'noch nicht',
    appOf: (publisher) => `Eine App von ${publisher}.`,
    needed: 'Ohne das funktioniert die App nicht',
    reads: 'Liest nur',
    writes: 'Liest und ändert',
  },
});
