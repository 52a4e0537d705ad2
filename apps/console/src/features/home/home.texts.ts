import { catalogue } from '@crm/ui';

export const HOME_TEXTS = catalogue({
  en: {
    title: 'My day',
    showAll: 'Show all',
    showAllOf: (title: string) => `Show all: ${title}`,
    tasks: {
      title: 'Tasks due',
      empty: 'Nothing is due today',
      hint: 'Open tasks of yours stand here from the day on which they are due.',
    },
    deals: {
      title: 'Closing this month',
      empty: 'No deal of yours closes this month',
      hint: 'Open deals that you own stand here by their close date.',
    },
    quiet: {
      title: 'Leads to get back to',
      empty: 'No lead of yours waits',
      hint: 'Leads that you own stand here when nothing has changed for 14 days.',
    },
    fresh: {
      title: 'Newest leads',
      empty: 'There are no leads yet',
      hint: 'Create the first one, or let a form or an app do it.',
    },
    complete: (title: string) => `Complete ${title}`,
    completed: (title: string) => `${title} is completed`,
    overdue: 'overdue',
  },
  de: {
    title: 'Mein Tag',
    showAll: 'Alle anzeigen',
    showAllOf: (title) => `Alle anzeigen: ${title}`,
    tasks: {
      title: 'Fällige Aufgaben',
      empty: 'Heute ist nichts fällig',
      hint: 'Ihre offenen Aufgaben stehen hier ab dem Tag, an dem sie fällig sind.',
    },
    deals: {
      title: 'Abschluss diesen Monat',
      empty: 'Keine Ihrer Verkaufschancen schließt diesen Monat ab',
      hint: 'Offene Verkaufschancen, die Ihnen zugewiesen sind, stehen hier nach ihrem Abschlussdatum.',
    },
    quiet: {
      title: 'Leads, die warten',
      empty: 'Keiner Ihrer Leads wartet',
      hint: 'Ihre Leads stehen hier, wenn sich 14 Tage lang nichts getan hat.',
    },
    fresh: {
      title: 'Neueste Leads',
      empty: 'Noch keine Leads',
      hint: 'Legen Sie den ersten an, oder überlassen Sie es einem Formular oder einer App.',
    },
    complete: (title) => `${title} erledigen`,
    completed: (title) => `${title} ist erledigt`,
    overdue: 'überfällig',
  },
});
