import { catalogue } from '@crm/ui';

export const SIGN_IN_TEXTS = catalogue({
  en: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    initialPassword: 'An administrator chose this password. Choose your own.',
    forgot: 'Forgot your password?',
    or: 'or',
    problems: {
      INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
      SINGLE_SIGN_ON_REQUIRED: 'Your workspace signs in through its own identity provider. Use its button below.',
      WORKSPACE_SUSPENDED: 'Your workspace is suspended. Its administrators can ask the operators of the platform.',
    },
    stillThere: 'What you have typed is still there.',
    withProvider: (name: string) => `Continue with ${name}`,
    passkey: 'Sign in with a passkey',
    noPasskeyUsed: 'No passkey was used. Try again, or sign in with your password.',
    passkeyProblems: {
      NOT_FOUND: 'Passkeys are not in use here. Sign in with your password.',
      INVALID_CREDENTIALS: 'This passkey is not accepted. Sign in with your password.',
    },
    returning: 'You are being signed in',
    noReturn: 'The sign-in did not succeed',
    noReturnText: 'What your identity provider has sent is not valid any more. Sign in again.',
    failures: {
      SINGLE_SIGN_ON_FAILED: 'Your identity provider did not complete the sign-in. Sign in again.',
      SINGLE_SIGN_ON_EXPIRED: 'The sign-in took too long, or was begun in another browser. Sign in again.',
      IDENTITY_LINK_PENDING: 'Another account in this workspace has your address. We’ve asked its owner to let you in.',
      SINGLE_SIGN_ON_REFUSED: 'Your workspace does not accept this sign-in. Ask its administrator.',
      RATE_LIMITED: 'There were too many sign-ins from here. Wait some minutes, then sign in again.',
      email_missing: 'Your identity provider did not say your e-mail address. Ask the administrator of your workspace.',
      email_not_verified:
        'Your identity provider has not verified your e-mail address. Ask the administrator of your workspace.',
      domain_not_proven: 'Your e-mail address does not belong to a domain of the workspace. Ask its administrator.',
      email_reserved:
        'Somebody else had your e-mail address until a short while ago. Ask the administrator of your workspace.',
      link_denied: 'Another account in this workspace has your address. Ask the owner of the workspace.',
      SERVICE_UNAVAILABLE: 'Your identity provider cannot be reached. Try again in a minute.',
      user_disabled: 'Your account is disabled. Ask the administrator of your workspace.',
      not_recent:
        'Your identity provider does not say that it has just asked who you are. Ask the administrator of your workspace.',
      another_user: 'You have signed in at your identity provider as somebody else. Try again as yourself.',
      second_factor_missing:
        'Your identity provider has not asked for a second factor. Prove who you are with yours instead.',
      TOKEN_REVOKED: 'Your session has ended. Sign in again.',
    } as Readonly<Record<string, string>>,
    again: 'Sign in again',
    proven: 'You have proven who you are',
    provenText: 'Close this page, go back to where you came from, and try again what needed it.',
    signedInAs: (email: string) => `Signed in as ${email}.`,
    otherAccount: 'Use another account',
    forgotText: 'If the address has an account, you receive a link to set a new password.',
    forgotSubmit: 'Send the link',
    forgotDone: 'Look into your mailbox',
    forgotDoneText: 'If the address has an account, a link is on its way. It works for 30 minutes.',
  },
  de: {
    title: 'Anmelden',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    initialPassword: 'Dieses Passwort hat die Administration gewählt. Wählen Sie ein eigenes.',
    forgot: 'Passwort vergessen?',
    or: 'oder',
    problems: {
      INVALID_CREDENTIALS: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
      SINGLE_SIGN_ON_REQUIRED:
        'Ihr Arbeitsbereich meldet sich über einen eigenen Identitätsanbieter an. Verwenden Sie dessen Schaltfläche unten.',
      WORKSPACE_SUSPENDED:
        'Ihr Arbeitsbereich ist gesperrt. Seine Administration kann den Betreiber der Plattform fragen.',
    },
    stillThere: 'Was Sie eingegeben haben, ist noch da.',
    withProvider: (name) => `Weiter mit ${name}`,
    passkey: 'Mit einem Passkey anmelden',
    noPasskeyUsed:
      'Es wurde kein Passkey verwendet. Versuchen Sie es erneut, oder melden Sie sich mit Ihrem Passwort an.',
    passkeyProblems: {
      NOT_FOUND: 'Passkeys werden hier nicht verwendet. Melden Sie sich mit Ihrem Passwort an.',
      INVALID_CREDENTIALS: 'Dieser Passkey wird nicht angenommen. Melden Sie sich mit Ihrem Passwort an.',
    },
    returning: 'Sie werden angemeldet',
    noReturn: 'Die Anmeldung ist nicht gelungen',
    noReturnText: 'Was Ihr Identitätsanbieter geschickt hat, gilt nicht mehr. Melden Sie sich erneut an.',
    failures: {
      SINGLE_SIGN_ON_FAILED: 'Ihr Identitätsanbieter hat die Anmeldung nicht abgeschlossen. Melden Sie sich erneut an.',
      SINGLE_SIGN_ON_EXPIRED:
        'Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Melden Sie sich erneut an.',
      IDENTITY_LINK_PENDING:
        'Ein anderes Konto in diesem Arbeitsbereich hat Ihre Adresse. Wir haben die Eigentümer gebeten, Sie einzulassen.',
      SINGLE_SIGN_ON_REFUSED: 'Ihr Arbeitsbereich nimmt diese Anmeldung nicht an. Fragen Sie seine Administration.',
      RATE_LIMITED:
        'Von hier gab es zu viele Anmeldungen. Warten Sie einige Minuten, und melden Sie sich dann erneut an.',
      email_missing:
        'Ihr Identitätsanbieter hat Ihre E-Mail-Adresse nicht genannt. Fragen Sie die Administration Ihres Arbeitsbereichs.',
      email_not_verified:
        'Ihr Identitätsanbieter hat Ihre E-Mail-Adresse nicht bestätigt. Fragen Sie die Administration Ihres Arbeitsbereichs.',
      domain_not_proven:
        'Ihre E-Mail-Adresse gehört zu keiner Domain des Arbeitsbereichs. Fragen Sie seine Administration.',
      email_reserved:
        'Ihre E-Mail-Adresse gehörte bis vor Kurzem einer anderen Person. Fragen Sie die Administration Ihres Arbeitsbereichs.',
      link_denied: 'Ein anderes Konto in diesem Arbeitsbereich hat Ihre Adresse. Fragen Sie die Eigentümer.',
      SERVICE_UNAVAILABLE: 'Ihr Identitätsanbieter ist nicht erreichbar. Versuchen Sie es in einer Minute erneut.',
      user_disabled: 'Ihr Konto ist gesperrt. Fragen Sie die Administration Ihres Arbeitsbereichs.',
      not_recent:
        'Ihr Identitätsanbieter sagt nicht, dass er Sie gerade gefragt hat, wer Sie sind. Fragen Sie die Administration Ihres Arbeitsbereichs.',
      another_user:
        'Sie haben sich bei Ihrem Identitätsanbieter als jemand anderes angemeldet. Versuchen Sie es als Sie selbst.',
      second_factor_missing:
        'Ihr Identitätsanbieter hat keinen zweiten Faktor verlangt. Weisen Sie sich stattdessen mit Ihrem eigenen aus.',
      TOKEN_REVOKED: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
    },
    again: 'Erneut anmelden',
    proven: 'Sie haben sich ausgewiesen',
    provenText:
      'Schließen Sie diese Seite, gehen Sie dorthin zurück, woher Sie gekommen sind, und wiederholen Sie, wofür das nötig war.',
    signedInAs: (email) => `Angemeldet als ${email}.`,
    otherAccount: 'Anderes Konto verwenden',
    forgotText: 'Wenn die Adresse ein Konto hat, bekommen Sie einen Link für ein neues Passwort.',
    forgotSubmit: 'Link schicken',
    forgotDone: 'Sehen Sie in Ihr Postfach',
    forgotDoneText: 'Wenn die Adresse ein Konto hat, ist ein Link unterwegs. Er gilt 30 Minuten lang.',
  },
});
