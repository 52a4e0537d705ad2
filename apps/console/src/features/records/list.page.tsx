import { type ObjectModel, RECORD_TEXTS, RecordList, useRecords, VirtualTable } from '@crm/records-ui';
import { EmptyNotice, useTexts } from '@crm/ui';
import { Button, Group, Title } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { useTitle } from './use-title.js';

const CreateDrawer = lazy(() => import('./parts/create-drawer.js'));

/** Rows that the API gives at a time, at most. */
const PAGE_SIZE = 200;

/** The list of an object. Search, sort, filter and the form of a new record are in the address. */
export default function ListPage() {
  const { object } = useParams({ strict: false });
  const texts = useTexts(SHELL_TEXTS);
  const model = useRecords().objects.find(({ apiName }) => apiName === object);
  useTitle(model?.pluralLabel);
  if (!model) return <EmptyNotice title={texts.unknownList} text={texts.unknownListText} />;
  return <List key={model.apiName} model={model} />;
}

function List({ model }: { readonly model: ObjectModel }) {
  const texts = useTexts(RECORD_TEXTS);
  const { new: isNew, ...state } = useSearch({ from: '/shell/records/$object' });
  const navigate = useNavigate({ from: '/records/$object' });
  const setCreating = (next: boolean): void =>
    void navigate({ search: (present) => ({ ...present, new: next || undefined }), replace: !next });
  const onCreated = ({ id }: { id: string }): void =>
    void navigate({ to: '/records/$object/$id', params: { object: model.apiName, id }, replace: true });
  return (
    <div className="list">
      <Group justify="space-between" mb="sm">
        <Title order={1} size="h3">
          {model.pluralLabel}
        </Title>
        {model.creatable ? <Button onClick={() => setCreating(true)}>{texts.create(model.label)}</Button> : null}
      </Group>
      <RecordList
        model={model}
        state={state}
        // A search is a step that one goes back from; each further letter of it is none.
        onState={(next) => void navigate({ search: next, replace: state.q !== undefined && next.q !== undefined })}
        onCreate={() => setCreating(true)}
        table={VirtualTable}
        size={PAGE_SIZE}
      />
      <Suspense>
        {isNew && model.creatable ? (
          <CreateDrawer model={model} onCreated={onCreated} onClose={() => setCreating(false)} />
        ) : null}
      </Suspense>
    </div>
  );
}
