import type { RecordQuery, StandardObjectName } from '@crm/api-client';
import type { Filter, ObjectModel } from '@crm/records-ui';

/** A part of the day: a short list, and what it is asked for. */
export interface Section {
  readonly name: 'tasks' | 'deals' | 'quiet' | 'fresh';
  readonly object: StandardObjectName;
  /** Undefined for all records. */
  readonly filter?: Filter;
  readonly sort: string;
  /** What stands below the title of a record, if it is readable. */
  readonly below: string;
  /** What stands beside it. */
  readonly beside: readonly string[];
}

const mine = (field: string) => ({ field, value: { relative: 'me' } }) as const;

const SECTIONS: readonly Section[] = [
  {
    name: 'tasks',
    object: 'tasks',
    sort: 'dueAt',
    below: 'relatedTo',
    beside: ['dueAt'],
    filter: {
      and: [
        mine('assigneeId'),
        { field: 'status', value: 'open' },
        { field: 'dueAt', op: 'lte', value: { relative: 'today' } },
      ],
    },
  },
  {
    name: 'deals',
    object: 'opportunities',
    sort: 'closeDate',
    below: 'companyId',
    beside: ['amount', 'closeDate'],
    filter: {
      and: [
        mine('ownerId'),
        { field: 'status', value: 'open' },
        { field: 'closeDate', value: { relative: 'thisMonth' } },
      ],
    },
  },
  {
    name: 'quiet',
    object: 'leads',
    sort: 'updatedAt',
    below: 'companyName',
    beside: ['updatedAt'],
    filter: { and: [mine('ownerId'), { field: 'updatedAt', op: 'lt', value: { relative: { days: -14 } } }] },
  },
  { name: 'fresh', object: 'leads', sort: '-createdAt', below: 'companyName', beside: ['createdAt'] },
];

/** Rows of a section; the rest is behind its link. */
const SIZE = 5;

/** What the list of a section is asked for. */
export const queryOf = ({ filter, sort, below }: Section, { fields }: ObjectModel): RecordQuery => ({
  ...{ size: SIZE, sort, count: 'none' },
  ...(filter ? { filter: JSON.stringify(filter) } : {}),
  ...(fields.some(({ apiName, type }) => apiName === below && type === 'reference') ? { expand: below } : {}),
});

const EVERY_RECORD = new Set(['createdAt', 'updatedAt']);

/** Those of the day that the caller can read. */
export const sectionsOf = (objects: readonly ObjectModel[]): { section: Section; model: ObjectModel }[] =>
  SECTIONS.flatMap((section) => {
    const model = objects.find(({ name }) => name === section.object);
    const isKnown = (name: string): boolean =>
      EVERY_RECORD.has(name) || model?.fields.some(({ apiName }) => apiName === name) === true;
    return model && namesIn(section.filter).every(isKnown) && isKnown(section.sort.replace('-', ''))
      ? { section, model }
      : [];
  });

const namesIn = (filter: Filter | undefined): string[] => {
  if (!filter) return [];
  if ('field' in filter) return [filter.field];
  return ('and' in filter ? filter.and : filter.or).flatMap(namesIn);
};
