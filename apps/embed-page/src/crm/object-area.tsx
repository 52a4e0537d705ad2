import { type ObjectModel, Pipeline, RECORD_TEXTS, RecordForm, RecordList, RecordPage } from '@crm/records-ui';
import type { EmbedView } from '@crm/sdk/embed/protocol';
import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';

export interface ObjectAreaProps {
  readonly model: ObjectModel;
  readonly recordId: string | undefined;
  readonly onNavigate: (view: EmbedView) => void;
}

/** One object: its list or pipeline, one of its records, or the form of a new one. */
export function ObjectArea({ model, recordId, onNavigate }: ObjectAreaProps) {
  const texts = useTexts(RECORD_TEXTS);
  const [isCreating, setCreating] = useState(false);
  const [display, setDisplay] = useState<'board' | 'list'>(model.name === 'opportunities' ? 'board' : 'list');
  const open = (id: string): void => onNavigate({ object: model.name, recordId: id });

  if (recordId !== undefined) {
    return <RecordPage key={recordId} model={model} id={recordId} onBack={() => onNavigate({ object: model.name })} />;
  }
  if (isCreating) {
    return (
      <article className="panel record">
        <header className="record-head">
          <h1>{texts.create(model.label)}</h1>
        </header>
        <RecordForm model={model} onSaved={({ id }) => open(id)} onCancel={() => setCreating(false)} />
      </article>
    );
  }
  return (
    <>
      <header className="area-head">
        <h1>{model.pluralLabel}</h1>
        {model.name === 'opportunities' ? (
          <fieldset className="switch">
            <legend className="visually-hidden">{texts.display}</legend>
            {(['board', 'list'] as const).map((name) => (
              <button key={name} type="button" aria-pressed={display === name} onClick={() => setDisplay(name)}>
                {texts[name]}
              </button>
            ))}
          </fieldset>
        ) : null}
        {model.canWrite ? (
          <Button look="primary" onClick={() => setCreating(true)}>
            {texts.create(model.label)}
          </Button>
        ) : null}
      </header>
      {display === 'board' ? (
        <Pipeline model={model} onOpen={open} onCreate={() => setCreating(true)} />
      ) : (
        <RecordList model={model} onOpen={open} onCreate={() => setCreating(true)} />
      )}
    </>
  );
}
