import { type FieldModel, formatValue, type ObjectModel, RECORD_TEXTS, useRecords } from '@crm/records-ui';
import { writableFields } from '@crm/records-ui/fields';
import { ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Group, NativeSelect, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { CsvFile } from '../csv-file.js';
import { guessMapping } from '../csv-values.js';
import { IMPORT_TEXTS } from '../import.texts.js';
import { findPeople, type ImportedRow, type Mapping, namedPeople, rowsOf } from '../rows.js';

/** Rows of the preview. */
const SHOWN = 5;
const NOBODY: ReadonlyMap<string, string> = new Map();

export interface MapColumnsProps {
  readonly model: ObjectModel;
  readonly file: CsvFile;
  readonly onStart: (rows: readonly ImportedRow[]) => void;
  readonly onRestart: () => void;
}

/** Says of which field each column is, and shows what the first rows become. */
export function MapColumns({ model, file, onStart, onRestart }: MapColumnsProps) {
  const texts = useTexts(IMPORT_TEXTS);
  const { tag } = useLocale();
  const { people } = useRecords();
  const fields = writableFields(model);
  const [names, setNames] = useState(() => guessMapping(model, file.columns));
  const mapping = useMemo<Mapping>(
    () => names.map((name) => model.fields.find(({ apiName }) => apiName === name)),
    [names, model],
  );
  const wanted = useMemo(() => namedPeople(file, mapping), [file, mapping]);
  const found = useQuery({
    queryKey: ['people', 'of a file', wanted],
    queryFn: ({ signal }) => (people ? findPeople(people, wanted, signal) : NOBODY),
    enabled: wanted.length > 0,
    staleTime: 60_000,
  });
  const isLooking = wanted.length > 0 && found.isPending;
  const rows = useMemo(
    () => rowsOf(file, mapping, { tag, people: found.data ?? NOBODY }),
    [file, mapping, tag, found.data],
  );
  const missing = fields.filter(({ required, apiName }) => required && !names.includes(apiName));
  const choose = (column: number, name: string | null): void =>
    setNames(names.map((one, index) => (index === column ? name : one === name ? null : one)));
  return (
    <>
      <Title order={2} size="h5">
        {texts.columns}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {texts.columnsText}
      </Text>
      <div className="import-columns">
        {file.columns.map((column, index) => (
          <div key={index} className="import-column">
            <div>
              <Text size="sm" fw={500} truncate>
                {column}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {file.rows.find((cells) => cells[index] !== '')?.[index] ?? '\u00a0'}
              </Text>
            </div>
            <NativeSelect
              aria-label={texts.fieldOf(column)}
              value={names[index] ?? ''}
              data={[
                { value: '', label: texts.skip },
                ...fields.map(({ apiName, label }) => ({ value: apiName, label })),
              ]}
              onChange={({ currentTarget }) => choose(index, currentTarget.value || null)}
            />
          </div>
        ))}
      </div>
      <Title order={2} size="h5" mt="lg" mb="xs">
        {texts.preview}
      </Title>
      <Preview mapping={mapping} rows={rows} file={file} isLooking={isLooking} />
      {missing.length > 0 ? (
        <Text size="sm" c="red" mt="sm" role="status">
          {texts.missing(missing.map(({ label }) => label).join(', '))}
        </Text>
      ) : null}
      {found.error ? <ProblemNotice problem={found.error} onRetry={found.refetch} /> : null}
      <Group mt="md" gap="xs">
        <Button
          disabled={missing.length > 0 || mapping.every((field) => !field) || isLooking}
          onClick={() => onStart(rows)}
        >
          {texts.start(rows.length)}
        </Button>
        <Button variant="default" onClick={onRestart}>
          {texts.other}
        </Button>
        {isLooking ? (
          <Text size="sm" c="dimmed" role="status">
            {texts.people}
          </Text>
        ) : null}
      </Group>
    </>
  );
}

interface PreviewProps {
  readonly mapping: Mapping;
  readonly rows: readonly ImportedRow[];
  readonly file: CsvFile;
  readonly isLooking: boolean;
}

function Preview({ mapping, rows, file, isLooking }: PreviewProps) {
  const texts = useTexts(IMPORT_TEXTS);
  const words = useTexts(RECORD_TEXTS);
  const locale = useLocale();
  const columns = [...mapping.entries()].flatMap(([column, field]) => (field ? [{ column, field }] : []));
  /** A person by what the file calls them. */
  const shown = (row: ImportedRow, field: FieldModel, column: number) => {
    const text = file.rows[row.index]?.[column] ?? '';
    if (field.type === 'reference') return text || words.none;
    return formatValue(field, row.fields[field.apiName], locale, words) ?? words.none;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <section className="import-preview" aria-label={texts.preview} tabIndex={0}>
      <table className="records">
        <thead>
          <tr>
            {columns.map(({ field }) => (
              <th key={field.apiName} scope="col">
                {field.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.index}>
              {columns.map(({ field, column }) => {
                const fault = row.faults.find((one) => one.field === field)?.fault;
                const text = file.rows[row.index]?.[column] ?? '';
                return (
                  <td key={field.apiName} title={text}>
                    {fault && !(isLooking && fault === 'noPerson') ? (
                      <Text span inherit c="red">
                        {text}: {texts.faults[fault]}
                      </Text>
                    ) : (
                      shown(row, field, column)
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
