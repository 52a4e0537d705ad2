import type { CrmRecord } from '@crm/api-client';
import { type ObjectModel, RECORD_TEXTS, useRecords } from '@crm/records-ui';
import { RecordPage, type Related, useRestore } from '@crm/records-ui/record';
import { EmptyNotice, Icon, useTexts } from '@crm/ui';
import { Anchor } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { showUndo } from '../shell/parts/undo.js';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { useTitle } from './use-title.js';

// What a click opens is no part of the first view.
const CreateDrawer = lazy(() => import('./parts/create-drawer.js'));
const EraseButton = lazy(() => import('./parts/erase-button.js'));
const RecordActions = lazy(() => import('./parts/record-actions.js'));

export default function RecordRoutePage() {
  const { object, id } = useParams({ strict: false });
  const texts = useTexts(SHELL_TEXTS);
  const model = useRecords().objects.find(({ apiName }) => apiName === object);
  useTitle(model?.label);
  if (!model || id === undefined) return <EmptyNotice title={texts.unknownList} text={texts.unknownListText} />;
  return <OneRecord key={id} model={model} id={id} />;
}

function OneRecord({ model, id }: { readonly model: ObjectModel; readonly id: string }) {
  const texts = useTexts(RECORD_TEXTS);
  const navigate = useNavigate();
  const restore = useRestore(model.name);
  const [creation, setCreation] = useState<{ model: ObjectModel; related: Related }>();
  const close = (): void => setCreation(undefined);
  const toList = () => void navigate({ to: '/records/$object', params: { object: model.apiName }, replace: true });
  const onDeleted = (title: string, deleted: string): void => {
    showUndo({ id: `deleted-${deleted}`, text: texts.deleted(title), undo: () => restore.mutateAsync(deleted) });
    toList();
  };
  const back = (
    <Anchor
      size="sm"
      renderRoot={(props: object) => <Link to="/records/$object" params={{ object: model.apiName }} {...props} />}
    >
      <Icon name="back" /> {texts.back(model.pluralLabel)}
    </Anchor>
  );
  const actions = (record: CrmRecord) => (
    <Suspense>
      <RecordActions model={model} record={record} />
    </Suspense>
  );
  return (
    <>
      <RecordPage
        model={model}
        id={id}
        back={back}
        onDeleted={onDeleted}
        actions={actions}
        onCreate={(created, related) => setCreation({ model: created, related })}
      />
      <Suspense>{creation ? <CreateDrawer {...creation} onCreated={close} onClose={close} /> : null}</Suspense>
      <Suspense>
        <EraseButton model={model} id={id} onErased={toList} />
      </Suspense>
    </>
  );
}
