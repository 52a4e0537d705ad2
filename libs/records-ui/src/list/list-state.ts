import type { Filter } from './filter.js';

/** What a list is asked for; in the address, where records have one. */
export interface ListState {
  readonly q?: string;
  /** Up to three fields with commas between, with `-` before each that is sorted downwards; the newest first without it. */
  readonly sort?: string;
  readonly filter?: Filter;
  /** Names of the fields that are shown beside the title; those that suit when there are none. */
  readonly columns?: readonly string[];
}

/** What the API accepts. */
const MAX_SORTS = 3;

/**
 * The order after a click on a column: upwards, then downwards, then no more.
 * @param isMore whether the other fields of the order stay
 */
export function nextSort(sort: string, field: string, isMore: boolean): string {
  const all = sort === '' ? [] : sort.split(',');
  const present = all.find((one) => one === field || one === `-${field}`);
  const next = present === undefined ? field : present === field ? `-${field}` : undefined;
  if (!isMore) return next ?? '';
  if (present === undefined) return [...all.slice(0, MAX_SORTS - 1), field].join(',');
  return all.flatMap((one) => (one === present ? (next ?? []) : one)).join(',');
}
