import type { Catalogue } from '@crm/ui';

interface SignInTexts {
  readonly title: string;
  readonly email: string;
  readonly password: string;
  readonly submit: string;
  readonly forgot: string;
  readonly or: string;
  readonly ended: string;
  readonly problems: Readonly<Record<string, string>>;
  readonly withProvider: (name: string) => string;
  readonly passkey: string;
  readonly noPasskeys: string;
  readonly noPasskeyUsed: string;
  readonly passkeyProblems: Readonly<Record<string, string>>;
  readonly returning: string;
  readonly noReturn: string;
  readonly noReturnText: string;
  readonly again: string;
  readonly signedIn: string;
  readonly signedInText: string;
  readonly signedInAs: (email: string) => string;
  readonly otherAccount: string;
  readonly signOut: string;
  readonly name: string;
  readonly workspace: string;
  readonly unverified: string;
  readonly forgotTitle: string;
  readonly forgotText: string;
  readonly forgotSubmit: string;
  readonly forgotDone: string;
  readonly forgotDoneText: string;
}

export const SIGN_IN_TEXTS: Catalogue<SignInTexts> = {
  en: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    forgot: 'Forgot your password?',
    or: 'or',
    ended: 'Your session has ended. Sign in again.',
    problems: {
      SINGLE_SIGN_ON_REQUIRED: 'Your workspace signs in through its own identity provider. Use its button below.',
    },
    withProvider: (name) => `Continue with ${name}`,
    passkey: 'Sign in with a passkey',
    noPasskeys: 'Passkeys are not in use here. Sign in with your password.',
    noPasskeyUsed: 'No passkey was used. Try again, or sign in with your password.',
    passkeyProblems: { INVALID_CREDENTIALS: 'This passkey is not accepted. Sign in with your password.' },
    returning: 'You are being signed in',
    noReturn: 'The sign-in did not succeed',
    noReturnText: 'What your identity provider has sent is not valid any more. Sign in again.',
    again: 'Sign in again',
    signedIn: 'You are signed in',
    signedInText: 'Go back to where you came from. When you close this page, this session ends.',
    signedInAs: (email) => `Signed in as ${email}.`,
    otherAccount: 'Use another account',
    signOut: 'Sign out',
    name: 'Name',
    workspace: 'Workspace',
    unverified: 'The address of the workspace is not verified yet. Open the link in the mail that you were sent.',
    forgotTitle: 'Forgot your password?',
    forgotText: 'If the address has an account, you receive a link to set a new password.',
    forgotSubmit: 'Send the link',
    forgotDone: 'Look into your mailbox',
    forgotDoneText: 'If the address has an account, a link is on its way. It works for 30 minutes.',
  },
  de: {
    title: 'Anmelden',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    or: 'oder',
    ended: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
    problems: {
      SINGLE_SIGN_ON_REQUIRED:
        'Ihr Arbeitsbereich meldet sich über einen eigenen Identitätsanbieter an. Verwenden Sie dessen Schaltfläche unten.',
    },
    withProvider: (name) => `Weiter mit ${name}`,
    passkey: 'Mit einem Passkey anmelden',
    noPasskeys: 'Passkeys werden hier nicht verwendet. Melden Sie sich mit Ihrem Passwort an.',
    noPasskeyUsed:
      'Es wurde kein Passkey verwendet. Versuchen Sie es erneut, oder melden Sie sich mit Ihrem Passwort an.',
    passkeyProblems: {
      INVALID_CREDENTIALS: 'Dieser Passkey wird nicht angenommen. Melden Sie sich mit Ihrem Passwort an.',
    },
    returning: 'Sie werden angemeldet',
    noReturn: 'Die Anmeldung ist nicht gelungen',
    noReturnText: 'Was Ihr Identitätsanbieter geschickt hat, gilt nicht mehr. Melden Sie sich erneut an.',
    again: 'Erneut anmelden',
    signedIn: 'Sie sind angemeldet',
    signedInText:
      'Gehen Sie dorthin zurück, woher Sie gekommen sind. Wenn Sie diese Seite schließen, endet diese Sitzung.',
    signedInAs: (email) => `Angemeldet als ${email}.`,
    otherAccount: 'Anderes Konto verwenden',
    signOut: 'Abmelden',
    name: 'Name',
    workspace: 'Arbeitsbereich',
    unverified:
      'Die Adresse des Arbeitsbereichs ist noch nicht bestätigt. Öffnen Sie den Link in der E-Mail, die Sie bekommen haben.',
    forgotTitle: 'Passwort vergessen?',
    forgotText: 'Wenn die Adresse ein Konto hat, bekommen Sie einen Link für ein neues Passwort.',
    forgotSubmit: 'Link schicken',
    forgotDone: 'Sehen Sie in Ihr Postfach',
    forgotDoneText: 'Wenn die Adresse ein Konto hat, ist ein Link unterwegs. Er gilt 30 Minuten lang.',
  },
};
