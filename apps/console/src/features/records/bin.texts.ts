import { catalogue } from '@crm/ui';

export const BIN_TEXTS = catalogue({
  en: {
    title: (objects: string) => `Bin: ${objects}`,
    text: 'What is deleted stays here for 30 days. Restoring brings back what was deleted along with it, too.',
    empty: 'The bin is empty',
    name: 'Name',
    at: 'Deleted',
    by: 'By',
    restore: 'Restore',
    restoreOne: (name: string) => `Restore ${name}`,
    restored: (name: string) => `${name} is back`,
    action: 'Action',
  },
  de: {
    title: (objects) => `Papierkorb: ${objects}`,
    text: 'Gelöschtes bleibt hier 30 Tage lang. Mit einem Datensatz kommt auch zurück, was mit ihm gelöscht wurde.',
    empty: 'Der Papierkorb ist leer',
    name: 'Name',
    at: 'Gelöscht',
    by: 'Von',
    restore: 'Wiederherstellen',
    restoreOne: (name) => `${name} wiederherstellen`,
    restored: (name) => `${name} ist wieder da`,
    action: 'Aktion',
  },
});
