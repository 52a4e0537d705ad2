import { type CrmRecord, problemInWords } from '@crm/api-client';
import { Button, Loading, Notice, useLocale, useTexts } from '@crm/ui';
import { useState } from 'react';
import { useRecord } from '../data/record.queries.js';
import { viewOf } from '../objects/field-types.js';
import { type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatValue, ValueText } from '../values/format-value.js';
import { writableFields } from './draft.js';
import { RecordForm } from './record-form.js';

export interface RecordPageProps {
  readonly model: ObjectModel;
  readonly id: string;
  readonly onBack: () => void;
}

/** One record: read, and changed by who may. */
export function RecordPage({ model, id, onBack }: RecordPageProps) {
  const texts = useTexts(TEXTS);
  const { language } = useLocale();
  const { data: record, error, refetch } = useRecord(model.name, id);
  const back = (
    <Button look="link" className="back" onClick={onBack}>
      <span aria-hidden="true">←</span> {texts.back(model.pluralLabel)}
    </Button>
  );
  if (record) {
    return (
      <>
        {back}
        <RecordPanel model={model} record={record} />
      </>
    );
  }
  const words = error ? problemInWords(error, language) : undefined;
  return (
    <>
      {back}
      <div className="panel">
        {words ? (
          <Notice
            kind="error"
            title={words.title}
            action={<Button onClick={() => void refetch()}>{texts.retry}</Button>}
          >
            {words.text}
          </Notice>
        ) : (
          <Loading label={texts.loading} />
        )}
      </div>
    </>
  );
}

function RecordPanel({ model, record }: { readonly model: ObjectModel; readonly record: CrmRecord }) {
  const texts = useTexts(TEXTS);
  const locale = useLocale();
  const [isEditing, setEditing] = useState(false);
  const [wasSaved, setSaved] = useState(false);
  const canEdit = model.canWrite && writableFields(model).length > 0;
  const when = formatValue({ type: 'datetime', options: [] }, record.updatedAt, locale, texts) ?? '';
  return (
    <article className="panel record">
      <header className="record-head">
        <div>
          <p className="record-kind">{model.label}</p>
          <h1>{titleOf(model, record) || texts.untitled}</h1>
        </div>
        <p className="record-saved" role="status">
          {wasSaved && !isEditing ? texts.saved : null}
        </p>
        {canEdit && !isEditing ? (
          <Button
            onClick={() => {
              setSaved(false);
              setEditing(true);
            }}
          >
            {texts.edit}
          </Button>
        ) : null}
      </header>
      {isEditing ? (
        <RecordForm
          model={model}
          record={record}
          onSaved={() => {
            setSaved(true);
            setEditing(false);
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <>
          <dl className="values">
            {model.fields.map((field) => (
              <div key={field.apiName} className={viewOf(field.type).control === 'lines' ? 'value wide' : 'value'}>
                <dt>{field.label}</dt>
                <dd>
                  <ValueText field={field} value={record[field.apiName]} />
                </dd>
              </div>
            ))}
          </dl>
          <p className="record-foot">
            {texts.changed(when)}
            {canEdit ? null : ` · ${texts.readOnly}`}
          </p>
        </>
      )}
    </article>
  );
}
