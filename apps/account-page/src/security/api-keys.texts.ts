import type { Catalogue } from '@crm/ui';
import type { Reach } from './key-scopes.js';

interface ApiKeyTexts {
  readonly lead: string;
  readonly none: string;
  readonly make: string;
  readonly makeNow: string;
  readonly name: string;
  readonly nameHint: string;
  readonly life: string;
  readonly days: (count: string) => string;
  readonly scopes: string;
  readonly reaches: Readonly<Record<Reach, string>>;
  readonly nothingChosen: string;
  readonly keepTitle: string;
  readonly keepText: string;
  readonly kept: string;
  readonly made: string;
  readonly expires: string;
  readonly expired: string;
  readonly lastUsed: string;
  readonly never: string;
  readonly withdraw: string;
  readonly withdrawTitle: (name: string) => string;
  readonly withdrawText: string;
  readonly withdrawn: string;
  readonly gone: string;
  readonly problems: Readonly<Record<string, string>>;
}

export const API_KEY_TEXTS: Catalogue<ApiKeyTexts> = {
  en: {
    lead: 'A program that has one of these keys works in your name. Never give one to anybody else.',
    none: 'You have no API key.',
    make: 'Make an API key',
    makeNow: 'Make the key',
    name: 'Name',
    nameHint: 'What the key is for, so that you know it again.',
    life: 'Ends after',
    days: (count) => `${count} days`,
    scopes: 'What it reaches',
    reaches: { none: 'Nothing', read: 'Reads only', write: 'Reads and changes' },
    nothingChosen: 'Choose something that the key reaches.',
    keepTitle: 'Keep your API key',
    keepText: 'It is shown this once. Put it where only your program reads it.',
    kept: 'I have kept it',
    made: 'Made',
    expires: 'Ends',
    expired: 'Expired',
    lastUsed: 'Last used',
    never: 'not yet',
    withdraw: 'Withdraw',
    withdrawTitle: (name) => `Withdraw “${name}”?`,
    withdrawText: 'Programs that have the key are refused within a second.',
    withdrawn: 'The key does not work any more.',
    gone: 'Withdrawn',
    problems: {
      SCOPE_NOT_GRANTABLE: 'Your role does not allow one of these. Choose less.',
      API_KEY_LIMIT_EXCEEDED: 'There are as many keys as there can be. Withdraw one first.',
    },
  },
  de: {
    lead: 'Ein Programm, das einen dieser Schlüssel hat, arbeitet in Ihrem Namen. Geben Sie nie einen weiter.',
    none: 'Sie haben keinen API-Schlüssel.',
    make: 'API-Schlüssel erstellen',
    makeNow: 'Schlüssel erstellen',
    name: 'Name',
    nameHint: 'Wofür der Schlüssel ist, damit Sie ihn wiedererkennen.',
    life: 'Endet nach',
    days: (count) => `${count} Tagen`,
    scopes: 'Was er erreicht',
    reaches: { none: 'Nichts', read: 'Liest nur', write: 'Liest und ändert' },
    nothingChosen: 'Wählen Sie etwas, das der Schlüssel erreicht.',
    keepTitle: 'API-Schlüssel aufbewahren',
    keepText: 'Er wird nur dieses eine Mal angezeigt. Legen Sie ihn dorthin, wo nur Ihr Programm ihn liest.',
    kept: 'Ich habe ihn aufbewahrt',
    made: 'Erstellt',
    expires: 'Endet',
    expired: 'Abgelaufen',
    lastUsed: 'Zuletzt verwendet',
    never: 'noch nicht',
    withdraw: 'Zurückziehen',
    withdrawTitle: (name) => `„${name}“ zurückziehen?`,
    withdrawText: 'Programme, die den Schlüssel haben, werden binnen einer Sekunde abgewiesen.',
    withdrawn: 'Der Schlüssel gilt nicht mehr.',
    gone: 'Zurückgezogen',
    problems: {
      SCOPE_NOT_GRANTABLE: 'Ihre Rolle erlaubt eines davon nicht. Wählen Sie weniger.',
      API_KEY_LIMIT_EXCEEDED: 'Es gibt so viele Schlüssel, wie es geben kann. Ziehen Sie zuerst einen zurück.',
    },
  },
};
