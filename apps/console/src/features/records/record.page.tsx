import { type ObjectModel, RECORD_TEXTS, useRecords } from '@crm/records-ui';
import { RecordPage, type Related, useRestore } from '@crm/records-ui/record';
import { EmptyNotice, Icon, useTexts } from '@crm/ui';
import { Anchor } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
<<<<<<< HEAD
import { lazy, Suspense, useState } from 'react';
=======
import { lazy, Suspense } from 'react';
>>>>>>> s37-h5
import { showUndo } from '../shell/parts/undo.js';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { useTitle } from './use-title.js';

<<<<<<< HEAD
// What a click opens is no part of the first view.
const CreateDrawer = lazy(() => import('./parts/create-drawer.js'));
=======
const EraseButton = lazy(() => import('./parts/erase-button.js'));
>>>>>>> s37-h5

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
<<<<<<< HEAD
  const [creation, setCreation] = useState<{ model: ObjectModel; related: Related }>();
  const close = (): void => setCreation(undefined);
=======
  const toList = () => void navigate({ to: '/records/$object', params: { object: model.apiName }, replace: true });
>>>>>>> s37-h5
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
  return (
    <>
<<<<<<< HEAD
      <RecordPage
        model={model}
        id={id}
        back={back}
        onDeleted={onDeleted}
        onCreate={(created, related) => setCreation({ model: created, related })}
      />
      <Suspense>{creation ? <CreateDrawer {...creation} onCreated={close} onClose={close} /> : null}</Suspense>
=======
      <RecordPage model={model} id={id} back={back} onDeleted={onDeleted} />
      <Suspense>
        <EraseButton model={model} id={id} onErased={toList} />
      </Suspense>
>>>>>>> s37-h5
    </>
  );
}
