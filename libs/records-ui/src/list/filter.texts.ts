import { catalogue } from '@crm/ui';
import type { FieldModel } from '../objects/object-model.js';
import { isTemporal } from './condition-draft.js';
import type { Period } from './filter.js';

const EN: Record<Period | 'me' | 'daysAgo' | 'daysAhead', string> = {
  ...{ today: 'today', yesterday: 'yesterday', tomorrow: 'tomorrow' },
  ...{ thisWeek: 'this week', lastWeek: 'last week', nextWeek: 'next week' },
  ...{ thisMonth: 'this month', lastMonth: 'last month', nextMonth: 'next month' },
  ...{ thisQuarter: 'this quarter', lastQuarter: 'last quarter', nextQuarter: 'next quarter' },
  ...{ thisYear: 'this year', lastYear: 'last year', nextYear: 'next year' },
  ...{ me: 'me', daysAgo: 'days ago …', daysAhead: 'days ahead …' },
};
const DE: typeof EN = {
  ...{ today: 'heute', yesterday: 'gestern', tomorrow: 'morgen' },
  ...{ thisWeek: 'diese Woche', lastWeek: 'letzte Woche', nextWeek: 'nächste Woche' },
  ...{ thisMonth: 'dieser Monat', lastMonth: 'letzter Monat', nextMonth: 'nächster Monat' },
  ...{ thisQuarter: 'dieses Quartal', lastQuarter: 'letztes Quartal', nextQuarter: 'nächstes Quartal' },
  ...{ thisYear: 'dieses Jahr', lastYear: 'letztes Jahr', nextYear: 'nächstes Jahr' },
  ...{ me: 'ich', daysAgo: 'vor Tagen …', daysAhead: 'in Tagen …' },
};

const OPERATORS = {
  en: {
    ...{ eq: 'is', ne: 'is not', in: 'is one of', contains: 'contains', startsWith: 'starts with' },
    ...{ lt: 'less than', lte: 'at most', gt: 'more than', gte: 'at least' },
    ...{ empty: 'is empty', notEmpty: 'is not empty' },
  },
  de: {
    ...{ eq: 'ist', ne: 'ist nicht', in: 'ist eines von', contains: 'enthält', startsWith: 'beginnt mit' },
    ...{ lt: 'kleiner als', lte: 'höchstens', gt: 'größer als', gte: 'mindestens' },
    ...{ empty: 'ist leer', notEmpty: 'ist nicht leer' },
  },
};

export const FILTER_TEXTS = catalogue({
  en: {
    field: 'Field',
    operator: 'Operator',
    value: 'Value',
    period: 'Choice',
    days: 'Days',
    typed: { day: 'a certain day …', person: 'somebody else …' },
    kinds: EN,
    operators: OPERATORS.en as Readonly<Record<string, string>>,
    temporal: { lt: 'before', lte: 'until', gt: 'after', gte: 'since' } as Readonly<Record<string, string>>,
    ago: (days: number) => `${days} days ago`,
    ahead: (days: number) => `in ${days} days`,
    createdAt: 'Created',
    updatedAt: 'Last changed',
    combine: 'Which conditions must hold',
    all: 'All conditions hold',
    any: 'One of them is enough',
    and: 'and',
    or: 'or',
    condition: (number: string) => `Condition ${number}`,
    takeAwayCondition: (number: string) => `Remove condition ${number}`,
    add: 'Add a condition',
    addGroup: 'Add a group',
    full: (most: number) => `A filter has at most ${most} conditions.`,
    kept: (field: string) => `${field}: cannot be changed here and stays as it is`,
    clearAll: 'Clear filter',
  },
  de: {
    field: 'Feld',
    operator: 'Vergleich',
    value: 'Wert',
    period: 'Auswahl',
    days: 'Tage',
    typed: { day: 'ein bestimmter Tag …', person: 'jemand anderes …' },
    kinds: DE,
    operators: OPERATORS.de,
    temporal: { lt: 'vor', lte: 'bis', gt: 'nach', gte: 'ab' },
    ago: (days) => `vor ${days} Tagen`,
    ahead: (days) => `in ${days} Tagen`,
    createdAt: 'Angelegt',
    updatedAt: 'Zuletzt geändert',
    combine: 'Welche Bedingungen gelten müssen',
    all: 'Alle Bedingungen gelten',
    any: 'Eine davon genügt',
    and: 'und',
    or: 'oder',
    condition: (number) => `Bedingung ${number}`,
    takeAwayCondition: (number) => `Bedingung ${number} entfernen`,
    add: 'Bedingung hinzufügen',
    addGroup: 'Gruppe hinzufügen',
    full: (most) => `Ein Filter hat höchstens ${most} Bedingungen.`,
    kept: (field) => `${field}: kann hier nicht geändert werden und bleibt, wie es ist`,
    clearAll: 'Filter leeren',
  },
});

export type FilterTexts = (typeof FILTER_TEXTS)['en'];

/** Times are before and after where numbers are less and more. */
export const operatorText = (texts: FilterTexts, field: FieldModel, op: string): string =>
  (isTemporal(field) ? texts.temporal[op] : undefined) ?? texts.operators[op] ?? op;
