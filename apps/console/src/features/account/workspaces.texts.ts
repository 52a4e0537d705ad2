import { catalogue } from '@crm/ui';

export const WORKSPACE_TEXTS = catalogue({
  en: {
    lead: 'One address and one password for all of them. Each has its own sessions, second factor and roles. To leave one, switch to it first.',
    current: 'you are here',
    roles: 'Roles',
    enter: 'Switch to it',
    enterTitle: (name: string) => `Switch to ${name}`,
    enterText: 'Your password proves that it is you who enters the other workspace.',
    elsewhere: 'Your other workspaces: confirm it’s you',
    elsewhereAct: 'Show them',
    elsewhereText: 'An identity provider has signed you in, which speaks for this workspace alone.',
    leave: 'Leave it',
    leaveTitle: (name: string) => `Leave ${name}?`,
    leaveText:
      'You can no longer sign in to it. Your name stays on what you have done there. An administrator can invite you again.',
    offers: 'Offered to you',
    offersText:
      'These workspaces have a user with your address. It becomes yours only if you accept: then whoever used it until now is shut out, and you sign in with your own password.',
    invitedBy: 'You are invited to this workspace.',
    usedBy: 'Somebody uses this user with a password of their own.',
    noOffers: 'Nothing is waiting for an answer.',
    accept: 'Accept',
    accepted: 'You are in the workspace now.',
    hasAccepted: 'Accepted',
    decline: 'Decline',
    declined: 'It is declined.',
    hasDeclined: 'Declined',
    problems: {
      SINGLE_SIGN_ON_REQUIRED: 'This workspace asks you to sign in with its identity provider.',
      STEP_UP_REQUIRED:
        'Sign in with your password first. If you have a second factor in another workspace, switch to that one.',
      WORKSPACE_SUSPENDED: 'This workspace is suspended.',
      INVALID_CREDENTIALS: 'The password is wrong.',
      CONFLICT: 'You are its only owner. Make somebody else an owner first.',
    },
  },
  de: {
    lead: 'Eine Adresse und ein Passwort für alle. Jeder hat eigene Sitzungen, einen eigenen zweiten Faktor und eigene Rollen. Um einen zu verlassen, wechseln Sie zuerst dorthin.',
    current: 'hier sind Sie',
    roles: 'Rollen',
    enter: 'Dorthin wechseln',
    enterTitle: (name) => `Zu ${name} wechseln`,
    enterText: 'Ihr Passwort beweist, dass Sie selbst den anderen Arbeitsbereich betreten.',
    elsewhere: 'Ihre anderen Arbeitsbereiche: Bestätigen Sie, dass Sie es sind',
    elsewhereAct: 'Anzeigen',
    elsewhereText: 'Ein Identitätsanbieter hat Sie angemeldet, und der spricht nur für diesen Arbeitsbereich.',
    leave: 'Verlassen',
    leaveTitle: (name) => `${name} verlassen?`,
    leaveText:
      'Sie können sich dort nicht mehr anmelden. Ihr Name bleibt an dem stehen, was Sie getan haben. Die Administration kann Sie wieder einladen.',
    offers: 'Ihnen angeboten',
    offersText:
      'In diesen Arbeitsbereichen gibt es ein Benutzerkonto mit Ihrer Adresse. Es wird nur dann Ihres, wenn Sie annehmen: Wer es bisher benutzt hat, wird ausgesperrt, und Sie melden sich mit Ihrem eigenen Passwort an.',
    invitedBy: 'Sie sind in diesen Arbeitsbereich eingeladen.',
    usedBy: 'Jemand benutzt dieses Konto mit einem eigenen Passwort.',
    noOffers: 'Nichts wartet auf eine Antwort.',
    accept: 'Annehmen',
    accepted: 'Sie gehören jetzt zu dem Arbeitsbereich.',
    hasAccepted: 'Angenommen',
    decline: 'Ablehnen',
    declined: 'Es ist abgelehnt.',
    hasDeclined: 'Abgelehnt',
    problems: {
      SINGLE_SIGN_ON_REQUIRED: 'Für diesen Arbeitsbereich melden Sie sich bei seinem Identitätsanbieter an.',
      STEP_UP_REQUIRED:
        'Melden Sie sich zuerst mit Ihrem Passwort an. Haben Sie in einem anderen Arbeitsbereich einen zweiten Faktor, wechseln Sie dorthin.',
      WORKSPACE_SUSPENDED: 'Dieser Arbeitsbereich ist gesperrt.',
      INVALID_CREDENTIALS: 'Das Passwort ist falsch.',
      CONFLICT: 'Nur Sie sind dort Inhaber. Machen Sie zuerst jemand anderen dazu.',
    },
  },
});
