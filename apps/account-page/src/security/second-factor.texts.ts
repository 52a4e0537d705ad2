import type { Catalogue } from '@crm/ui';

interface FactorTexts {
  readonly lead: string;
  readonly isOff: string;
  readonly isMail: string;
  readonly isApp: string;
  readonly codesLeft: { readonly one: string; readonly other: string };
  readonly required: string;
  readonly setUp: string;
  readonly setUpTitle: string;
  readonly inUse: string;
  readonly replace: string;
  readonly replaced: string;
  readonly remove: string;
  readonly removeTitle: string;
  readonly removeText: string;
  readonly removed: string;
  readonly mailOn: string;
  readonly mailOnText: string;
  readonly mailIsOn: string;
  readonly mailOff: string;
  readonly mailOffText: string;
  readonly mailIsOff: string;
  readonly problems: Readonly<Record<string, string>>;
  readonly passwordProblems: Readonly<Record<string, string>>;
}

export const FACTOR_TEXTS: Catalogue<FactorTexts> = {
  en: {
    lead: 'Somebody who has your password still does not get in without it.',
    isOff: 'No second factor is asked for.',
    isMail: 'A code is sent to you by e-mail.',
    isApp: 'A code of your authenticator app is asked for.',
    codesLeft: { one: '# recovery code is left.', other: '# recovery codes are left.' },
    required: 'Your workspace requires a second factor.',
    setUp: 'Set up an authenticator app',
    setUpTitle: 'Set up an authenticator app',
    inUse: 'From now on a code of the app is asked for at each sign-in. A mail to you says so.',
    replace: 'Make new recovery codes',
    replaced: 'The new recovery codes work, and those of before do not any more.',
    remove: 'Remove the app',
    removeTitle: 'Remove the authenticator app?',
    removeText: 'Its recovery codes stop working, and from then on codes are sent to you by e-mail.',
    removed: 'The app is removed. Codes are sent to you by e-mail.',
    mailOn: 'Turn on codes by e-mail',
    mailOnText: 'At each sign-in a code is sent to your e-mail address. An app protects better.',
    mailIsOn: 'From now on a code is sent to you at each sign-in.',
    mailOff: 'Turn off codes by e-mail',
    mailOffText: 'From then on your password alone signs in.',
    mailIsOff: 'No second factor is asked for any more.',
    problems: {
      INVALID_CREDENTIALS: 'This code is wrong. Check the clock of your phone.',
      CONFLICT: 'This has changed meanwhile. Go back, and open it again.',
    },
    passwordProblems: {
      INVALID_CREDENTIALS: 'The password is wrong.',
      CONFLICT: 'Your workspace requires it, or an authenticator is in use by now.',
    },
  },
  de: {
    lead: 'Wer Ihr Passwort hat, kommt ohne ihn trotzdem nicht hinein.',
    isOff: 'Es wird kein zweiter Faktor verlangt.',
    isMail: 'Ein Code wird Ihnen per E-Mail geschickt.',
    isApp: 'Ein Code Ihrer Authenticator-App wird verlangt.',
    codesLeft: { one: '# Wiederherstellungscode ist übrig.', other: '# Wiederherstellungscodes sind übrig.' },
    required: 'Ihr Arbeitsbereich verlangt einen zweiten Faktor.',
    setUp: 'Authenticator-App einrichten',
    setUpTitle: 'Authenticator-App einrichten',
    inUse: 'Ab jetzt wird bei jeder Anmeldung ein Code der App verlangt. Darüber geht Ihnen eine E-Mail zu.',
    replace: 'Neue Wiederherstellungscodes erstellen',
    replaced: 'Die neuen Wiederherstellungscodes gelten, die früheren nicht mehr.',
    remove: 'App entfernen',
    removeTitle: 'Authenticator-App entfernen?',
    removeText: 'Ihre Wiederherstellungscodes gelten dann nicht mehr, und Codes kommen ab dann per E-Mail.',
    removed: 'Die App ist entfernt. Codes kommen ab jetzt per E-Mail.',
    mailOn: 'Codes per E-Mail einschalten',
    mailOnText: 'Bei jeder Anmeldung kommt ein Code an Ihre E-Mail-Adresse. Eine App schützt besser.',
    mailIsOn: 'Ab jetzt bekommen Sie bei jeder Anmeldung einen Code.',
    mailOff: 'Codes per E-Mail ausschalten',
    mailOffText: 'Danach meldet allein Ihr Passwort an.',
    mailIsOff: 'Es wird kein zweiter Faktor mehr verlangt.',
    problems: {
      INVALID_CREDENTIALS: 'Dieser Code ist falsch. Prüfen Sie die Uhr Ihres Telefons.',
      CONFLICT: 'Das hat sich inzwischen geändert. Gehen Sie zurück, und öffnen Sie es erneut.',
    },
    passwordProblems: {
      INVALID_CREDENTIALS: 'Das Passwort ist falsch.',
      CONFLICT: 'Ihr Arbeitsbereich verlangt es, oder es ist inzwischen ein Authenticator in Gebrauch.',
    },
  },
};
