import { catalogue } from './locale.js';

export const PAGE_TEXTS = catalogue({
  en: {
    product: 'CRM account',
    working: 'One moment',
    addressNotFound: 'There is no such page',
    addressNotFoundText: 'Check the address, or open the link from the mail again.',
    signIn: 'Go to the sign-in',
    cancel: 'Cancel',
    copy: 'Copy',
    copied: 'It is copied.',
    notCopied: 'Your browser did not let this page copy it. Mark it and copy it by hand.',
  },
  de: {
    product: 'CRM-Konto',
    working: 'Einen Moment',
    addressNotFound: 'Diese Seite gibt es nicht',
    addressNotFoundText: 'Prüfen Sie die Adresse, oder öffnen Sie den Link aus der E-Mail noch einmal.',
    signIn: 'Zur Anmeldung',
    cancel: 'Abbrechen',
    copy: 'Kopieren',
    copied: 'Es ist kopiert.',
    notCopied: 'Ihr Browser hat das Kopieren nicht zugelassen. Markieren Sie es, und kopieren Sie es von Hand.',
  },
});
