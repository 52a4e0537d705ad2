import type { CrmRecord } from '@crm/api-client';
import { type ObjectModel, RECORD_TEXTS, useRecords } from '@crm/records-ui';
import { RecordPage } from '@crm/records-ui/record';
import { EmptyNotice, Icon, useTexts } from '@crm/ui';
import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { useTitle } from './use-title.js';

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
  const onDeleted = (title: string): void => {
    notifications.show({ message: texts.deleted(title) });
    void navigate({ to: '/records/$object', params: { object: model.apiName }, replace: true });
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
  return <RecordPage model={model} id={id} back={back} onDeleted={onDeleted} actions={actions} />;
}
