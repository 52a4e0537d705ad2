import { useTexts } from '@crm/ui';
import { Alert, Text } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { type CsvFile, decode, MAX_BYTES, MAX_COLUMNS, MAX_ROWS, readCsv } from '../csv-file.js';
import { IMPORT_TEXTS } from '../import.texts.js';

/** Takes a file that is chosen or dropped. */
export function ChooseFile({ onFile }: { readonly onFile: (file: CsvFile) => void }) {
  const texts = useTexts(IMPORT_TEXTS);
  const [fault, setFault] = useState<string>();
  const read = async (file: File | undefined | null): Promise<void> => {
    if (!file) return;
    if (file.size > MAX_BYTES) return setFault(texts.tooLarge);
    const csv = readCsv(file.name, decode(new Uint8Array(await file.arrayBuffer())));
    if (csv.openQuote !== undefined) return setFault(texts.openQuote(csv.openQuote));
    if (csv.columns.length > MAX_COLUMNS) return setFault(texts.tooWide(MAX_COLUMNS));
    if (csv.rows.length === 0) return setFault(texts.empty);
    if (csv.rows.length > MAX_ROWS) return setFault(texts.tooLong(MAX_ROWS));
    onFile(csv);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    void read(event.dataTransfer.files[0]);
  };
  return (
    <>
      <label className="import-drop" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
        <Text fw={500}>{texts.drop}</Text>
        <Text size="sm" c="dimmed">
          {texts.dropText(MAX_ROWS)}
        </Text>
        <input
          type="file"
          aria-label={texts.drop}
          accept=".csv,.tsv,.txt,text/csv"
          onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
        />
      </label>
      {fault ? (
        <Alert role="alert" color="red" mt="sm">
          {fault}
        </Alert>
      ) : null}
    </>
  );
}
