import type { FieldValue, PeopleApi, RecordFields } from '@crm/api-client';
import type { FieldModel } from '@crm/records-ui';
import type { CsvFile } from './csv-file.js';
import { type CellContext, type CellFault, cellOf } from './csv-values.js';

/** The field of each column of a file, if it has one. */
export type Mapping = readonly (FieldModel | undefined)[];

/** A row of a file as it becomes a record, or the cells that are in the way. */
export interface ImportedRow {
  /** Its index among the rows of the file. */
  readonly index: number;
  readonly fields: RecordFields;
  readonly faults: readonly { readonly field: FieldModel; readonly fault: CellFault }[];
}

export const rowsOf = ({ rows }: Pick<CsvFile, 'rows'>, mapping: Mapping, context: CellContext): ImportedRow[] =>
  rows.map((cells, index) => {
    const fields: Record<string, FieldValue> = {};
    const faults: { field: FieldModel; fault: CellFault }[] = [];
    for (const [column, field] of mapping.entries()) {
      if (!field) continue;
      const cell = cellOf(field, cells[column] ?? '', context);
      if ('fault' in cell) faults.push({ field, fault: cell.fault });
      // What is left out has the default of the field.
      else if (cell.value !== null) fields[field.apiName] = cell.value;
    }
    return { index, fields, faults };
  });

/** So many different people of one file are looked for. */
const MOST_PEOPLE = 200;

/** The addresses and names in the columns of people, in lower case. */
export const namedPeople = ({ rows }: Pick<CsvFile, 'rows'>, mapping: Mapping): string[] => {
  const columns = [...mapping.entries()].flatMap(([column, field]) => (field?.target === 'user' ? column : []));
  const names = rows.flatMap((cells) => columns.map((column) => (cells[column] ?? '').toLowerCase()));
  return [...new Set(names)].filter((name) => name !== '').slice(0, MOST_PEOPLE);
};

/** Their ids. A name that several have is nobody's. */
export async function findPeople(
  people: Pick<PeopleApi, 'search'>,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of names) {
    const all = await people.search(name, signal);
    const same = all.filter((person) => [person.email, person.name].some((one) => one?.toLowerCase() === name));
    if (same.length === 1) found.set(name, same[0]!.id);
  }
  return found;
}
