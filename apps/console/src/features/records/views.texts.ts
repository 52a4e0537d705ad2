import { catalogue } from '@crm/ui';

export const VIEWS_TEXTS = catalogue({
  en: {
    own: 'My views',
    shared: 'Shared views',
    none: 'Filter and sort the list, then save it as a view.',
    save: 'Save the changes',
    revert: 'Take the changes back',
    saveAs: 'Save as a new view',
    edit: 'Rename or share',
    delete: 'Delete the view',
    deleteText: 'The records stay; only this way of seeing them is gone.',
    name: 'Name',
    share: 'Everyone in the workspace sees it',
    saved: (name: string) => `The view ${name} is saved`,
    deleted: (name: string) => `The view ${name} was deleted`,
  },
  de: {
    own: 'Meine Ansichten',
    shared: 'Geteilte Ansichten',
    none: 'Filtern und sortieren Sie die Liste, und speichern Sie sie als Ansicht.',
    save: 'Änderungen speichern',
    revert: 'Änderungen verwerfen',
    saveAs: 'Als neue Ansicht speichern',
    edit: 'Umbenennen oder teilen',
    delete: 'Ansicht löschen',
    deleteText: 'Die Datensätze bleiben; nur diese Sicht auf sie geht verloren.',
    name: 'Name',
    share: 'Alle im Arbeitsbereich sehen sie',
    saved: (name) => `Die Ansicht ${name} ist gespeichert`,
    deleted: (name) => `Die Ansicht ${name} wurde gelöscht`,
  },
});
