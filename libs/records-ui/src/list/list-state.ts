import { columnsOf, type FieldModel, type ObjectModel } from '../objects/object-model.js';
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

/** Pixels that a column and the title need to be read. */
export const COLUMN_WIDTH = 150;
export const TITLE_WIDTH = 220;
const MAX_COLUMNS = 8;

export interface ShownColumns {
  /** True when a row is one cell: the title, and below it what the first columns say. */
  readonly isNarrow: boolean;
  readonly columns: readonly FieldModel[];
}

/**
 * The columns of a list beside the title: those that were chosen, else as many of those that suit as fit.
 * @param width of the list in pixels
 */
export function shownColumns(model: ObjectModel, chosen: readonly string[] | undefined, width: number): ShownColumns {
  const isNarrow = width > 0 && width < TITLE_WIDTH + COLUMN_WIDTH;
  const free = Math.min(MAX_COLUMNS, Math.max(0, Math.floor((width - TITLE_WIDTH) / COLUMN_WIDTH)));
  const columns = columnsOf(model, chosen);
  return { isNarrow, columns: isNarrow || (chosen && chosen.length > 0) ? columns : columns.slice(0, free) };
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
