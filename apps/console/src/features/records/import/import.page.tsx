import { type ObjectModel, RECORD_TEXTS, useRecords } from '@crm/records-ui';
import { EmptyNotice, Icon, useTexts } from '@crm/ui';
import { Anchor, Title } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { SHELL_TEXTS } from '../../shell/shell.texts.js';
import { useTitle } from '../use-title.js';
import type { CsvFile } from './csv-file.js';
import { IMPORT_TEXTS } from './import.texts.js';
import { ChooseFile } from './parts/choose-file.js';
import { ImportRun } from './parts/import-run.js';
import { MapColumns } from './parts/map-columns.js';
import type { ImportedRow } from './rows.js';

/** Makes records of the rows of a CSV file, in three steps: the file, its columns, the import. */
export default function ImportPage() {
  const { object } = useParams({ strict: false });
  const texts = useTexts(SHELL_TEXTS);
  const { title } = useTexts(IMPORT_TEXTS);
  const model = useRecords().objects.find(({ apiName }) => apiName === object);
  useTitle(model && title(model.pluralLabel));
  if (!model?.creatable) return <EmptyNotice title={texts.unknownList} text={texts.unknownListText} />;
  return <Import key={model.apiName} model={model} />;
}

function Import({ model }: { readonly model: ObjectModel }) {
  const texts = useTexts(IMPORT_TEXTS);
  const { back } = useTexts(RECORD_TEXTS);
  const [file, setFile] = useState<CsvFile>();
  const [rows, setRows] = useState<readonly ImportedRow[]>();
  const restart = (): void => {
    setFile(undefined);
    setRows(undefined);
  };
  return (
    <div className="import">
      <Anchor
        size="sm"
        renderRoot={(props: object) => <Link to="/records/$object" params={{ object: model.apiName }} {...props} />}
      >
        <Icon name="back" /> {back(model.pluralLabel)}
      </Anchor>
      <Title order={1} size="h3" my="sm">
        {texts.title(model.pluralLabel)}
      </Title>
      {!file ? (
        <ChooseFile onFile={setFile} />
      ) : !rows ? (
        <MapColumns model={model} file={file} onStart={setRows} onRestart={restart} />
      ) : (
        <ImportRun model={model} file={file} rows={rows} onRestart={restart} />
      )}
    </div>
  );
}
