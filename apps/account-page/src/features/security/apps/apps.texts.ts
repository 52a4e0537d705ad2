import type { Catalogue } from '@crm/ui';

interface AppTexts {
  readonly lead: string;
  readonly none: string;
  readonly by: (publisher: string) => string;
  readonly since: string;
  readonly lastUsed: string;
  readonly ends: string;
  readonly withdraw: string;
  readonly withdrawTitle: (app: string) => string;
  readonly withdrawText: string;
  readonly withdrawn: (app: string) => string;
  readonly gone: string;
}

export const APP_TEXTS: Catalogue<AppTexts> = {
  en: {
    lead: 'You have allowed these apps to work in your name. None can do more than you can yourself.',
    none: 'You have given no app access.',
    by: (publisher) => `An app of ${publisher}.`,
    since: 'Since',
    lastUsed: 'Last used',
    ends: 'Ends, if not used',
    withdraw: 'Withdraw the access',
    withdrawTitle: (app) => `Withdraw the access of ${app}?`,
    withdrawText: 'It stops working in your name within a second. It can ask you again.',
    withdrawn: (app) => `${app} has no access any more.`,
    gone: 'Withdrawn',
  },
  de: {
    lead: 'Sie haben diesen Apps erlaubt, in Ihrem Namen zu arbeiten. Keine kann mehr als Sie selbst.',
    none: 'Sie haben keiner App Zugriff gegeben.',
    by: (publisher) => `Eine App von ${publisher}.`,
    since: 'Seit',
    lastUsed: 'Zuletzt verwendet',
    ends: 'Endet ungenutzt',
    withdraw: 'Zugriff entziehen',
    withdrawTitle: (app) => `${app} den Zugriff entziehen?`,
    withdrawText: 'Sie arbeitet binnen einer Sekunde nicht mehr in Ihrem Namen. Sie kann Sie erneut fragen.',
    withdrawn: (app) => `${app} hat keinen Zugriff mehr.`,
    gone: 'Entzogen',
  },
};
