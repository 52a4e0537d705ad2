import type { SavedViewView } from '@crm/api-client';
import type { Filter, ListState } from '@crm/records-ui';

/** What the address of a list says; anything else in it is dropped. */
export interface ListSearch {
  readonly q?: string;
  /** Id of a saved view, from which filter, order and columns differ as far as they are in the address too; null is none. */
  readonly view?: string;
  readonly sort?: string;
  readonly filter?: Filter | null;
  /** With commas between; the empty text for those that suit. */
  readonly columns?: string;
  readonly new?: boolean;
  /** The pipeline whose board is shown instead of the list; one that there is not stands for the first. */
  readonly board?: string;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;

export const readSearch = ({
  q,
  sort,
  filter,
  columns,
  view,
  new: isNew,
  board,
}: Record<string, unknown>): ListSearch => ({
  q: textOf(q),
  sort: textOf(sort),
  // Its reader decides whether it has the form of a filter.
  filter: typeof filter === 'object' ? (filter as Filter | null) : undefined,
  columns: textOf(columns),
  view: textOf(view),
  ...(isNew === true ? { new: true } : {}),
  ...(board === undefined ? {} : { board: textOf(board) }),
});

/** The columns of an address that the object has for this caller, each once; undefined where none of them is left. */
export function knownColumns(fields: readonly { readonly apiName: string }[], columns: string | undefined) {
  const known = [...new Set(columns?.split(','))].filter((name) => fields.some(({ apiName }) => apiName === name));
  return columns === '' ? '' : known.join(',') || undefined;
}

/** Returns whether the list of a view is another one than the view. */
export const isChanged = ({ filter, sort, columns }: ListSearch): boolean =>
  filter !== undefined || sort !== undefined || columns !== undefined;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The list that an address asks for: that of its view, with what the address says otherwise. */
export const stateOf = ({ q, sort, filter, columns }: ListSearch, view: SavedViewView | undefined): ListState => ({
  q,
  sort: sort ?? view?.sort ?? undefined,
  filter: (filter === undefined ? (view?.filter as Filter | null | undefined) : filter) ?? undefined,
  columns: columns === undefined ? view?.columns : columns.split(',').filter((name) => name !== ''),
});

/** The address of a list: the view, and what is different from it. */
export const searchOf = (
  { q, sort, filter, columns = [] }: ListState,
  view: SavedViewView | undefined,
): ListSearch => ({
  ...{ q, view: view?.id },
  ...(isSame(filter ?? null, view?.filter ?? null) ? {} : { filter: filter ?? null }),
  ...((sort ?? '') === (view?.sort ?? '') ? {} : { sort: sort ?? '' }),
  ...(isSame(columns, view?.columns ?? []) ? {} : { columns: columns.join(',') }),
});
