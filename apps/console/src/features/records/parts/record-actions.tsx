import type { CrmRecord } from '@crm/api-client';
import { type ObjectModel, titleOf } from '@crm/records-ui';
import { useTexts } from '@crm/ui';
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { ACTION_TEXTS } from '../actions.texts.js';

const ConvertLead = lazy(() => import('./convert-lead.js'));
const MergeRecords = lazy(() => import('./merge-records.js'));

export interface RecordActionsProps {
  readonly model: ObjectModel;
  readonly record: CrmRecord;
}

/** What else can be done with a record than changing its fields. */
export default function RecordActions({ model, record }: RecordActionsProps) {
  const texts = useTexts(ACTION_TEXTS);
  const [opened, setOpened] = useState<'convert' | 'merge'>();
  if (!model.updatable) return null;
  const canConvert = model.name === 'leads' && (record.convertedContactId ?? null) === null;
  const props = { record, title: titleOf(model, record), onClose: () => setOpened(undefined) };
  return (
    <>
      {canConvert ? <Button onClick={() => setOpened('convert')}>{texts.convert}</Button> : null}
      {model.deletable ? (
        <Button variant="default" onClick={() => setOpened('merge')}>
          {texts.merge}
        </Button>
      ) : null}
      <Suspense>
        {opened === 'convert' ? <ConvertLead {...props} /> : null}
        {opened === 'merge' ? <MergeRecords {...props} model={model} /> : null}
      </Suspense>
    </>
  );
}
