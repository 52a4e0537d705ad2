import { catalogue, plural } from '@crm/ui';

export const PEOPLE_TEXTS = catalogue({
  en: {
    lead: 'Who has an account in this workspace.',
    more: 'There are more: search for somebody.',
    search: 'Search people',
    you: 'you',
    disable: 'Disable',
    enable: 'Enable',
    reassign: 'Reassign records',
    statuses: { active: 'active', invited: 'invited', disabled: 'disabled', pending: 'pending' } as Readonly<
      Record<string, string>
    >,
    roles: { owner: 'owner', admin: 'administrator', member: 'member', viewer: 'read only' } as Readonly<
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
    enable: 'Entsperren',
    reassign: 'Datensätze neu zuweisen',
    statuses: { active: 'aktiv', invited: 'eingeladen', disabled: 'gesperrt', pending: 'unbestätigt' },
    roles: { owner: 'Inhaber', admin: 'Administration', member: 'Mitglied', viewer: 'nur lesen' },
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
