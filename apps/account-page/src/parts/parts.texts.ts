import type { Catalogue } from '@crm/ui';

export const PAGE_TEXTS: Catalogue<
  Record<'product' | 'required' | 'working' | 'noView' | 'noViewText' | 'signIn', string>
> = {
  en: {
    product: 'CRM account',
    required: 'required',
    working: 'One moment',
    noView: 'There is no such page',
    noViewText: 'Check the address, or open the link from the mail again.',
    signIn: 'Go to the sign-in',
  },
  de: {
    product: 'CRM-Konto',
    required: 'Pflichtfeld',
    working: 'Einen Moment',
    noView: 'Diese Seite gibt es nicht',
    noViewText: 'Prüfen Sie die Adresse, oder öffnen Sie den Link aus der E-Mail noch einmal.',
    signIn: 'Zur Anmeldung',
  },
};
