import { type Catalogue, plural } from '@crm/ui';

export interface RecordTexts {
  readonly search: (objects: string) => string;
  readonly create: (object: string) => string;
  readonly count: (count: number, isExact: boolean) => string;
  readonly loading: string;
  readonly empty: (objects: string) => string;
  readonly emptyText: string;
  readonly emptySearch: (q: string) => string;
  readonly retry: string;
  readonly more: string;
  readonly sort: string;
  readonly sorts: Readonly<Record<'newest' | 'oldest' | 'changed', string>>;
  readonly untitled: string;
  readonly back: (objects: string) => string;
  readonly edit: string;
  readonly save: string;
  readonly saving: string;
  readonly cancel: string;
  readonly saved: string;
  readonly required: string;
  readonly missing: string;
  readonly notANumber: string;
  readonly none: string;
  readonly yes: string;
  readonly no: string;
  readonly changed: (when: string) => string;
  readonly board: string;
  readonly list: string;
  readonly display: string;
  readonly noStage: string;
  readonly stage: string;
  readonly move: (name: string) => string;
  readonly moveTo: string;
  readonly won: string;
  readonly lost: string;
  readonly boardIsCut: (count: number) => string;
  readonly noMatch: string;
  readonly clear: string;
  readonly linked: string;
  readonly theirs: (value: string) => string;
  readonly readOnly: string;
}

export const TEXTS: Catalogue<RecordTexts> = {
  en: {
    search: (objects) => `Search ${objects}`,
    create: (object) => `New ${object}`,
    count: (count, isExact) =>
      `${plural('en', count, { one: '# record', other: '# records' })}${isExact ? '' : ' or more'}`,
    loading: 'Loading',
    empty: (objects) => `No ${objects} yet`,
    emptyText: 'What is created here or elsewhere in the workspace shows up in this list.',
    emptySearch: (q) => `Nothing matches “${q}”`,
    retry: 'Try again',
    more: 'Show more',
    sort: 'Sort by',
    sorts: { newest: 'Newest first', oldest: 'Oldest first', changed: 'Last changed' },
    untitled: 'Without a name',
    back: (objects) => `All ${objects}`,
    edit: 'Edit',
    save: 'Save',
    saving: 'Saving …',
    cancel: 'Cancel',
    saved: 'Saved',
    required: 'required',
    missing: 'Fill in this field.',
    notANumber: 'This is not a number.',
    none: '—',
    yes: 'Yes',
    no: 'No',
    changed: (when) => `Last changed ${when}`,
    board: 'Pipeline',
    list: 'List',
    display: 'Display',
    noStage: 'No stage',
    stage: 'Stage',
    move: (name) => `Move ${name} to`,
    moveTo: 'Move to …',
    won: 'Won',
    lost: 'Lost',
    boardIsCut: (count) => `The pipeline shows the newest ${count} open opportunities.`,
    noMatch: 'Nothing found',
    clear: 'Clear',
    linked: 'Linked record',
    theirs: (value) => `Now saved: ${value}`,
    readOnly: 'You can read this record, but not change it.',
  },
  de: {
    search: (objects) => `${objects} durchsuchen`,
    create: (object) => `${object} anlegen`,
    count: (count, isExact) =>
      `${isExact ? '' : 'mindestens '}${plural('de', count, { one: '# Datensatz', other: '# Datensätze' })}`,
    loading: 'Wird geladen',
    empty: (objects) => `Noch keine ${objects}`,
    emptyText: 'Was hier oder anderswo im Arbeitsbereich angelegt wird, erscheint in dieser Liste.',
    emptySearch: (q) => `Nichts passt zu „${q}“`,
    retry: 'Erneut versuchen',
    more: 'Mehr anzeigen',
    sort: 'Sortieren nach',
    sorts: { newest: 'Neueste zuerst', oldest: 'Älteste zuerst', changed: 'Zuletzt geändert' },
    untitled: 'Ohne Namen',
    back: (objects) => `Alle ${objects}`,
    edit: 'Bearbeiten',
    save: 'Speichern',
    saving: 'Wird gespeichert …',
    cancel: 'Abbrechen',
    saved: 'Gespeichert',
    required: 'erforderlich',
    missing: 'Füllen Sie dieses Feld aus.',
    notANumber: 'Das ist keine Zahl.',
    none: '—',
    yes: 'Ja',
    no: 'Nein',
    changed: (when) => `Zuletzt geändert ${when}`,
    board: 'Pipeline',
    list: 'Liste',
    display: 'Darstellung',
    noStage: 'Ohne Phase',
    stage: 'Phase',
    move: (name) => `${name} verschieben nach`,
    moveTo: 'Verschieben nach …',
    won: 'Gewonnen',
    lost: 'Verloren',
    boardIsCut: (count) => `Die Pipeline zeigt die neuesten ${count} offenen Verkaufschancen.`,
    noMatch: 'Nichts gefunden',
    clear: 'Leeren',
    linked: 'Verknüpfter Datensatz',
    theirs: (value) => `Jetzt gespeichert: ${value}`,
    readOnly: 'Sie können diesen Datensatz lesen, aber nicht ändern.',
  },
};
