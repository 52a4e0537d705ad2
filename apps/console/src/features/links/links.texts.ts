import { ApiProblem } from '@crm/api-client';
import { catalogue } from '@crm/ui';

export const LINK_TEXTS = catalogue({
  en: {
    links: {
      'email-change': {
        title: 'Confirm your new e-mail address',
        text: 'From then on you sign in with this address, and no longer with the old one.',
        button: 'Confirm the address',
        doneTitle: 'Your new address is confirmed',
        doneText: 'Sign in with it from now on. A mail to the old address says how the change can be undone.',
        invalid: 'It works once and for 24 hours. Ask for the change again where you are signed in.',
      },
      'email-change-undo': {
        title: 'Take back your e-mail address',
        text: 'Your account gets its old address back, every session ends, and the present password no longer works.',
        button: 'Undo the change',
        doneTitle: 'The change is undone',
        doneText: 'Every session has ended. A mail with a link to set a new password is on its way to this address.',
        invalid: 'It works once and for seven days. Tell an administrator of your workspace.',
      },
      'undo-link': {
        title: 'End what an app does in your name',
        text: 'The product that embeds the app no longer works with your account and your rights.',
        button: 'End the connection',
        doneTitle: 'The connection is ended',
        doneText: 'Only an administrator of the workspace can connect that user with an account again.',
        invalid: 'It works once and for 30 days. An administrator of the workspace can end the connection.',
      },
      'password-reset': {
        title: 'Set a new password',
        text: 'All your sessions end. Your second factor, if you have one, is asked for at the next sign-in.',
        button: 'Set the password',
        doneTitle: 'Your new password is set',
        doneText: 'All your sessions have ended. Sign in with the new password.',
        invalid: 'It works once and for 30 minutes. Ask for a new one.',
      },
      invitation: {
        title: 'Accept the invitation',
        to: (workspace: string, email: string) => `To the workspace ${workspace}, as ${email}.`,
        text: 'Choose a password for your account.',
        join: 'You have an account already, and join the workspace with it.',
        button: 'Accept',
        decline: 'Decline',
        declinedTitle: 'It is declined',
        declinedText: 'You are not in the workspace.',
        joinedText: (workspace: string) =>
          `You are in the workspace ${workspace} now. Sign in as always, and switch to it.`,
        doneTitle: 'Welcome',
        doneText: 'Your account is ready. Sign in with your e-mail address and the password.',
        invalid: 'It works once and only for some days. Ask whoever invited you for another one.',
      },
      'verify-email': {
        title: 'Verify your e-mail address',
        text: 'Sign in with the account that you registered.',
        button: 'Verify this address',
        doneTitle: 'Your address is verified',
        doneText: 'Your workspace can now be used in full.',
        invalid:
          'It works for 24 hours, and only for accounts that were registered with the address it was sent to. Have another mail sent.',
      },
    },
    noToken: 'Open the link from the mail again',
    noTokenText: 'This page was opened without its link, or loaded again. What a link carries is not kept.',
    invalidTitle: 'This link does not work any more',
    problems: {
      EMAIL_TAKEN: 'The address has an account by now. Sign in to that one, or choose another address.',
    },
  },
  de: {
    links: {
      'email-change': {
        title: 'Neue E-Mail-Adresse bestätigen',
        text: 'Danach melden Sie sich mit dieser Adresse an und nicht mehr mit der alten.',
        button: 'Adresse bestätigen',
        doneTitle: 'Ihre neue Adresse ist bestätigt',
        doneText:
          'Melden Sie sich ab jetzt damit an. Eine E-Mail an die alte Adresse sagt, wie sich die Änderung zurücknehmen lässt.',
        invalid: 'Er gilt einmal und 24 Stunden lang. Beantragen Sie die Änderung dort erneut, wo Sie angemeldet sind.',
      },
      'email-change-undo': {
        title: 'E-Mail-Adresse zurückholen',
        text: 'Ihr Konto bekommt seine alte Adresse zurück, alle Sitzungen enden, und das jetzige Passwort gilt nicht mehr.',
        button: 'Änderung zurücknehmen',
        doneTitle: 'Die Änderung ist zurückgenommen',
        doneText:
          'Alle Sitzungen sind beendet. Eine E-Mail mit einem Link für ein neues Passwort ist an diese Adresse unterwegs.',
        invalid: 'Er gilt einmal und sieben Tage lang. Wenden Sie sich an die Administration Ihres Arbeitsbereichs.',
      },
      'undo-link': {
        title: 'Beenden, was eine App in Ihrem Namen tut',
        text: 'Das Produkt, das die App einbettet, arbeitet dann nicht mehr mit Ihrem Konto und Ihren Rechten.',
        button: 'Verbindung beenden',
        doneTitle: 'Die Verbindung ist beendet',
        doneText: 'Nur die Administration des Arbeitsbereichs kann diese Person wieder mit einem Konto verbinden.',
        invalid: 'Er gilt einmal und 30 Tage lang. Die Administration des Arbeitsbereichs kann die Verbindung beenden.',
      },
      'password-reset': {
        title: 'Neues Passwort setzen',
        text: 'Alle Ihre Sitzungen enden. Ihr zweiter Faktor wird, wenn Sie einen haben, bei der nächsten Anmeldung verlangt.',
        button: 'Passwort setzen',
        doneTitle: 'Ihr neues Passwort ist gesetzt',
        doneText: 'Alle Ihre Sitzungen sind beendet. Melden Sie sich mit dem neuen Passwort an.',
        invalid: 'Er gilt einmal und 30 Minuten lang. Fordern Sie einen neuen an.',
      },
      invitation: {
        title: 'Einladung annehmen',
        to: (workspace, email) => `In den Arbeitsbereich ${workspace}, als ${email}.`,
        text: 'Wählen Sie ein Passwort für Ihr Konto.',
        join: 'Sie haben schon ein Konto und treten dem Arbeitsbereich damit bei.',
        button: 'Annehmen',
        decline: 'Ablehnen',
        declinedTitle: 'Abgelehnt',
        declinedText: 'Sie gehören nicht zu dem Arbeitsbereich.',
        joinedText: (workspace) =>
          `Sie gehören jetzt zu dem Arbeitsbereich ${workspace}. Melden Sie sich an wie immer, und wechseln Sie dorthin.`,
        doneTitle: 'Willkommen',
        doneText: 'Ihr Konto ist bereit. Melden Sie sich mit Ihrer E-Mail-Adresse und dem Passwort an.',
        invalid:
          'Er gilt einmal und nur einige Tage lang. Bitten Sie die Person, die Sie eingeladen hat, um einen neuen.',
      },
      'verify-email': {
        title: 'E-Mail-Adresse bestätigen',
        text: 'Melden Sie sich mit dem Konto an, das Sie registriert haben.',
        button: 'Diese Adresse bestätigen',
        doneTitle: 'Ihre Adresse ist bestätigt',
        doneText: 'Ihr Arbeitsbereich lässt sich jetzt vollständig nutzen.',
        invalid:
          'Er gilt 24 Stunden lang und nur für Konten, die mit der Adresse registriert wurden, an die er ging. Lassen Sie sich eine neue E-Mail schicken.',
      },
    },
    noToken: 'Öffnen Sie den Link aus der E-Mail noch einmal',
    noTokenText:
      'Diese Seite wurde ohne ihren Link geöffnet oder neu geladen. Was ein Link mitbringt, wird nicht aufbewahrt.',
    invalidTitle: 'Dieser Link gilt nicht mehr',
    problems: {
      EMAIL_TAKEN:
        'Die Adresse hat inzwischen ein Konto. Melden Sie sich dort an, oder wählen Sie eine andere Adresse.',
    },
  },
});

/** Returns whether the token of a link is wrong, used or expired: the same link never works again. */
export const isInvalidLink = (problem: unknown): boolean =>
  problem instanceof ApiProblem && problem.code.startsWith('INVALID_');
