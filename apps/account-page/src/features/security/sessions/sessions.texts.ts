import type { Catalogue } from '@crm/ui';

interface SessionTexts {
  readonly lead: string;
  readonly current: string;
  readonly unknownDevice: string;
  readonly unknownAddress: string;
  readonly lastUsed: string;
  readonly from: string;
  readonly opened: string;
  readonly end: string;
  readonly ended: string;
  readonly gone: string;
  readonly endOthers: string;
  readonly endOthersTitle: string;
  readonly endOthersText: string;
  readonly othersEnded: { readonly one: string; readonly other: string };
}

export const SESSION_TEXTS: Catalogue<SessionTexts> = {
  en: {
    lead: 'Each is one sign-in on one device. If you do not know one, end it and change your password.',
    current: 'this page',
    unknownDevice: 'Unknown device',
    unknownAddress: 'unknown',
    lastUsed: 'Last used',
    from: 'From',
    opened: 'Signed in',
    end: 'End the session',
    ended: 'The session has ended.',
    gone: 'Ended',
    endOthers: 'End all other sessions',
    endOthersTitle: 'End all other sessions?',
    endOthersText: 'On every other device you have to sign in again. Apps with access and API keys go on.',
    othersEnded: { one: '# session has ended.', other: '# sessions have ended.' },
  },
  de: {
    lead: 'Jede ist eine Anmeldung auf einem Gerät. Wenn Sie eine nicht kennen, beenden Sie sie, und ändern Sie Ihr Passwort.',
    current: 'diese Seite',
    unknownDevice: 'Unbekanntes Gerät',
    unknownAddress: 'unbekannt',
    lastUsed: 'Zuletzt verwendet',
    from: 'Von',
    opened: 'Angemeldet',
    end: 'Sitzung beenden',
    ended: 'Die Sitzung ist beendet.',
    gone: 'Beendet',
    endOthers: 'Alle anderen Sitzungen beenden',
    endOthersTitle: 'Alle anderen Sitzungen beenden?',
    endOthersText:
      'Auf jedem anderen Gerät müssen Sie sich neu anmelden. Apps mit Zugriff und API-Schlüssel arbeiten weiter.',
    othersEnded: { one: '# Sitzung ist beendet.', other: '# Sitzungen sind beendet.' },
  },
};
