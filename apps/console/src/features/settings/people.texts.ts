import { catalogue, plural } from '@crm/ui';

export const PEOPLE_TEXTS = catalogue({
  en: {
    lead: 'Who has an account in this workspace.',
    more: 'There are more: search for somebody.',
    search: 'Search people',
    you: 'you',
    disable: 'Disable',
    invite: 'Invite somebody',
    inviteText: 'They get a mail with a link. Whoever has an account already joins with it.',
    inviteAct: 'Send the invitation',
    inviteProblems: {
      EMAIL_TAKEN: 'Somebody in this workspace has the address already.',
      EMAIL_NOT_VERIFIED: 'Verify the address that the workspace was registered with first.',
    },
    invited: (email: string) => `The invitation to ${email} is on its way`,
    inviteAgain: 'Send the mail again',
    email: 'E-mail address',
    name: 'Name',
    role: 'Role',
    moreFor: (name: string) => `More for ${name}`,
    resetFactor: 'Reset the second factor',
    resetFactorText: (name: string) =>
      `The authenticator, recovery codes and passkeys of ${name} in this workspace are removed and their sessions end. Make sure that it is really them who ask.`,
    factorReset: (name: string) => `${name} signs in without a second factor now`,
    remove: 'Remove from the workspace',
    removeTitle: (name: string) => `Remove ${name}?`,
    removeText:
      'They can no longer sign in to this workspace. Their name stays on what they have done, and their other workspaces are not touched.',
    isRemoved: 'removed',
    removed: (name: string) => `${name} is removed`,
    linksTitle: 'Waiting for your decision',
    linkText: (email: string, name: string) =>
      `Someone new signed in through your identity provider as ${email}. ${name} has that address here. Is it the same person?`,
    linkYes: 'Same person',
    linkNo: 'Different person',
    linkYesTitle: (name: string) => `Let them in as ${name}?`,
    linkYesText:
      'They get the account and everything it can do. The provider account that was used before no longer signs in, and its sessions, API keys, and apps end.',
    linked: (name: string) => `They now sign in as ${name}`,
    linkNoTitle: 'Refuse this sign-in?',
    linkNoText:
      'They can’t sign in for seven days. To let them in as a new user, remove the account that has the address, or change its address at the provider and have that person sign in once.',
    linkDenied: 'Sign-in refused',
    enable: 'Enable',
    reassign: 'Reassign records',
    statuses: { active: 'active', invited: 'invited', disabled: 'disabled', pending: 'pending' } as Readonly<
      Record<string, string>
    >,
    disableTitle: (name: string) => `Disable ${name}?`,
    reassignTitle: (name: string) => `Reassign the records of ${name}`,
    disableText: 'Their sessions end at once. Their records and tasks stay, and somebody else can have them.',
    has: 'What is theirs',
    nothing: 'No record and no open task is theirs.',
    count: (object: string, field: string, count: string) => `${object} (${field}): ${count}`,
    to: 'Give it to',
    disableOnly: 'Disable only',
    disableAndReassign: 'Disable and reassign',
    progress: (done: number, all: number) => `Reassigned: ${done} of ${all}`,
    enabled: (name: string) => `${name} is enabled`,
    done: (name: string, count: number) =>
      count === 0
        ? `${name} is disabled`
        : `${plural('en', count, { one: '# record is', other: '# records are' })} reassigned`,
    refused: (count: number) =>
      `${plural('en', count, { one: '# record was', other: '# records were' })} not reassigned. Try again, or change them yourself.`,
  },
  de: {
    lead: 'Wer in diesem Arbeitsbereich ein Konto hat.',
    more: 'Es gibt mehr: Suchen Sie nach jemandem.',
    search: 'Personen suchen',
    you: 'Sie',
    disable: 'Sperren',
    invite: 'Jemanden einladen',
    inviteText: 'Die Person bekommt eine E-Mail mit einem Link. Wer schon ein Konto hat, tritt damit bei.',
    inviteAct: 'Einladung senden',
    inviteProblems: {
      EMAIL_TAKEN: 'Jemand in diesem Arbeitsbereich hat diese Adresse schon.',
      EMAIL_NOT_VERIFIED: 'Bestätigen Sie zuerst die Adresse, mit der der Arbeitsbereich registriert wurde.',
    },
    invited: (email) => `Die Einladung an ${email} ist unterwegs`,
    inviteAgain: 'E-Mail erneut senden',
    email: 'E-Mail-Adresse',
    name: 'Name',
    role: 'Rolle',
    moreFor: (name) => `Mehr für ${name}`,
    resetFactor: 'Zweiten Faktor zurücksetzen',
    resetFactorText: (name) =>
      `Authenticator, Wiederherstellungscodes und Passkeys von ${name} in diesem Arbeitsbereich werden entfernt, und alle Sitzungen enden. Vergewissern Sie sich, dass wirklich diese Person darum bittet.`,
    factorReset: (name) => `${name} meldet sich jetzt ohne zweiten Faktor an`,
    remove: 'Aus dem Arbeitsbereich entfernen',
    removeTitle: (name) => `${name} entfernen?`,
    removeText:
      'Die Person kann sich hier nicht mehr anmelden. Ihr Name bleibt an dem stehen, was sie getan hat; ihre anderen Arbeitsbereiche bleiben unberührt.',
    isRemoved: 'entfernt',
    removed: (name) => `${name} ist entfernt`,
    linksTitle: 'Wartet auf Ihre Entscheidung',
    linkText: (email: string, name: string) =>
      `Ihr Identitätsanbieter hat jemand Neues mit der Adresse ${email} angemeldet, die hier ${name} hat. Ist es dieselbe Person?`,
    linkYes: 'Dieselbe Person',
    linkNo: 'Andere Person',
    linkYesTitle: (name: string) => `Als ${name} einlassen?`,
    linkYesText:
      'Die Person erhält das Konto mit allem, was es darf. Wer sich beim Anbieter bisher dafür angemeldet hat, kommt nicht mehr hinein.',
    linked: (name: string) => `Die Person meldet sich jetzt als ${name} an`,
    linkNoTitle: 'Ablehnen?',
    linkNoText:
      'Die Anmeldung wird sieben Tage lang abgelehnt. Um die Person als jemand Neues einzulassen, entfernen Sie das Konto mit der Adresse, oder lassen Sie es sich mit einer anderen Adresse beim Anbieter anmelden.',
    linkDenied: 'Anmeldung abgelehnt',
    enable: 'Entsperren',
    reassign: 'Datensätze neu zuweisen',
    statuses: { active: 'aktiv', invited: 'eingeladen', disabled: 'gesperrt', pending: 'unbestätigt' },
    disableTitle: (name) => `${name} sperren?`,
    reassignTitle: (name) => `Datensätze von ${name} neu zuweisen`,
    disableText:
      'Die Sitzungen dieser Person enden sofort. Was ihr gehört, bleibt, und jemand anderes kann es bekommen.',
    has: 'Was dieser Person gehört',
    nothing: 'Dieser Person gehören weder Datensätze noch offene Aufgaben.',
    count: (object, field, count) => `${object} (${field}): ${count}`,
    to: 'Neu zuweisen an',
    disableOnly: 'Nur sperren',
    disableAndReassign: 'Sperren und neu zuweisen',
    progress: (done, all) => `Neu zugewiesen: ${done} von ${all}`,
    enabled: (name) => `${name} ist entsperrt`,
    done: (name, count) =>
      count === 0
        ? `${name} ist gesperrt`
        : `${plural('de', count, { one: '# Datensatz ist', other: '# Datensätze sind' })} neu zugewiesen`,
    refused: (count) =>
      `${plural('de', count, { one: '# Datensatz wurde', other: '# Datensätze wurden' })} nicht neu zugewiesen. Versuchen Sie es erneut, oder ändern Sie sie selbst.`,
  },
});
