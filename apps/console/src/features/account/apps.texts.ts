import { catalogue } from '@crm/ui';

export const APP_TEXTS = catalogue({
  en: {
    lead: 'You have allowed these apps to work in your name. None can do more than you can yourself.',
    none: 'You have given no app access.',
    since: 'Since',
    ends: 'Ends, if not used',
    change: 'Take something away',
    changeTitle: (app: string) => `What may ${app} still do?`,
    changeText:
      'Untick what it is to lose. It loses it within a second, and gets it back only if it asks you again and you agree.',
    changeNow: 'Take it away',
    changed: (app: string) => `${app} can do less now.`,
    problems: {
      NOTHING_CHOSEN: 'Untick something to take it away. To take away everything, withdraw the access.',
      SCOPE_NOT_OFFERED: 'What the app may do has changed meanwhile. Open this page again.',
      SCOPE_REQUIRED: 'What the app needs has changed meanwhile. Open this page again.',
    },
    withdraw: 'Withdraw the access',
    withdrawTitle: (app: string) => `Withdraw the access of ${app}?`,
    withdrawText: 'It stops working in your name within a second. It can ask you again.',
    withdrawn: (app: string) => `${app} has no access any more.`,
  },
  de: {
    lead: 'Sie haben diesen Apps erlaubt, in Ihrem Namen zu arbeiten. Keine kann mehr als Sie selbst.',
    none: 'Sie haben keiner App Zugriff gegeben.',
    since: 'Seit',
    ends: 'Endet ungenutzt',
    change: 'Etwas wegnehmen',
    changeTitle: (app) => `Was darf ${app} noch?`,
    changeText:
      'Entfernen Sie den Haken bei dem, was sie verlieren soll. Sie verliert es binnen einer Sekunde und bekommt es nur zurück, wenn sie Sie erneut fragt und Sie zustimmen.',
    changeNow: 'Wegnehmen',
    changed: (app) => `${app} kann jetzt weniger.`,
    problems: {
      NOTHING_CHOSEN:
        'Entfernen Sie einen Haken, um etwas wegzunehmen. Um alles wegzunehmen, entziehen Sie den Zugriff.',
      SCOPE_NOT_OFFERED: 'Was die App darf, hat sich inzwischen geändert. Öffnen Sie diese Seite noch einmal.',
      SCOPE_REQUIRED: 'Was die App braucht, hat sich inzwischen geändert. Öffnen Sie diese Seite noch einmal.',
    },
    withdraw: 'Zugriff entziehen',
    withdrawTitle: (app) => `${app} den Zugriff entziehen?`,
    withdrawText: 'Sie arbeitet binnen einer Sekunde nicht mehr in Ihrem Namen. Sie kann Sie erneut fragen.',
    withdrawn: (app) => `${app} hat keinen Zugriff mehr.`,
  },
});
