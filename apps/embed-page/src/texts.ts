import { catalogue } from '@crm/ui';

export const TEXTS = catalogue({
  en: {
    title: 'CRM',
    connecting: 'Connecting',
    notFramed: 'This page is part of another application',
    notFramedText: 'Open it there: it gets its access from the application that shows it.',
    notDelivered: 'You could not be signed in',
    notDeliveredText: 'The application that shows this page did not get access for you.',
    ended: 'Your session has ended',
    endedText: 'Your access was ended or could not be renewed. What was shown is removed from this page.',
    destroyed: 'Closed',
    nothing: 'There is nothing to show',
    nothingText: 'Your access covers no list of the CRM.',
    objects: 'Lists',
    retry: 'Try again',
    unknownView: 'Not available',
    unknownViewText: 'This list does not exist, or your access does not cover it.',
  },
  de: {
    title: 'CRM',
    connecting: 'Verbindung wird aufgebaut',
    notFramed: 'Diese Seite gehört zu einer anderen Anwendung',
    notFramedText: 'Öffnen Sie sie dort: Ihren Zugang bekommt sie von der Anwendung, die sie zeigt.',
    notDelivered: 'Sie konnten nicht angemeldet werden',
    notDeliveredText: 'Die Anwendung, die diese Seite zeigt, hat für Sie keinen Zugang bekommen.',
    ended: 'Ihre Sitzung ist beendet',
    endedText:
      'Ihr Zugang wurde beendet oder konnte nicht erneuert werden. Was zu sehen war, ist von dieser Seite entfernt.',
    destroyed: 'Geschlossen',
    nothing: 'Es gibt nichts zu zeigen',
    nothingText: 'Ihr Zugang umfasst keine Liste des CRM.',
    objects: 'Listen',
    retry: 'Erneut versuchen',
    unknownView: 'Nicht verfügbar',
    unknownViewText: 'Diese Liste gibt es nicht, oder Ihr Zugang umfasst sie nicht.',
  },
});
