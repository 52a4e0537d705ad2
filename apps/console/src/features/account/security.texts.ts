import { catalogue } from '@crm/ui';

export type TopicName = 'sessions' | 'passkeys' | 'secondFactor' | 'apps' | 'apiKeys' | 'password';

export const SECURITY_TEXTS = catalogue({
  en: {
    title: 'Security of your account',
    signIn: 'Sign in to your account',
    signInText: 'Then you see where you are signed in and what has access to your account.',
    topics: {
      sessions: { title: 'Sessions', text: 'Where you are signed in' },
      passkeys: { title: 'Passkeys', text: 'Sign in without a password' },
      secondFactor: { title: 'Second factor', text: 'Codes that are asked for besides the password' },
      apps: { title: 'Apps with access', text: 'What works in your name' },
      apiKeys: { title: 'API keys', text: 'With which your programs call' },
      password: { title: 'Password', text: 'Choose a new one' },
    },
    back: 'Back to the overview',
  },
  de: {
    title: 'Sicherheit Ihres Kontos',
    signIn: 'Bei Ihrem Konto anmelden',
    signInText: 'Danach sehen Sie, wo Sie angemeldet sind und was Zugriff auf Ihr Konto hat.',
    topics: {
      sessions: { title: 'Sitzungen', text: 'Wo Sie angemeldet sind' },
      passkeys: { title: 'Passkeys', text: 'Ohne Passwort anmelden' },
      secondFactor: { title: 'Zweiter Faktor', text: 'Codes, die außer dem Passwort verlangt werden' },
      apps: { title: 'Apps mit Zugriff', text: 'Was in Ihrem Namen arbeitet' },
      apiKeys: { title: 'API-Schlüssel', text: 'Womit Ihre Programme zugreifen' },
      password: { title: 'Passwort', text: 'Ein neues wählen' },
    },
    back: 'Zurück zur Übersicht',
  },
});
