import { ApiProblem, type CrmRecord, problemInWords } from '@crm/api-client';
import { Button, type ControlProps, Field, Notice, useLocale, useTexts } from '@crm/ui';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useCreate, useRecord, useUpdate } from '../data/record.queries.js';
import { type DraftValue, viewOf } from '../objects/field-types.js';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatValue } from '../values/format-value.js';
import { changesOf, type Draft, draftOf, problemsOf, writableFields } from './draft.js';
import { ReferencePicker } from './reference-picker.js';

export interface FieldInputProps {
  readonly field: FieldModel;
  readonly control: ControlProps;
  readonly value: DraftValue;
  readonly onChange: (value: DraftValue) => void;
}

/** The input for a field of its type. The API validates; the form only helps with typing. */
export function FieldInput({ field, control, value, onChange }: FieldInputProps) {
  const { control: kind, inputType = 'text', isNumber } = viewOf(field.type);
  switch (kind) {
    case 'lines':
      return (
        <textarea
          className="input"
          {...control}
          value={String(value)}
          maxLength={field.maxLength}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'tick':
      return (
        <input
          className="tick"
          type="checkbox"
          {...control}
          // A tick that is not set is a value too.
          required={false}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case 'option':
      return <OptionInput field={field} control={control} value={value} onChange={onChange} />;
    case 'options':
      return (
        <select
          className="input several"
          multiple
          {...control}
          value={value as readonly string[]}
          onChange={(event) => onChange([...event.target.selectedOptions].map((option) => option.value))}
        >
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      );
    case 'record':
      return field.target ? (
        <ReferencePicker control={control} target={field.target} value={String(value)} onChange={onChange} />
      ) : null;
    default:
      return (
        <input
          className="input"
          type={inputType}
          inputMode={isNumber ? 'decimal' : undefined}
          {...control}
          value={String(value)}
          maxLength={field.maxLength}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

function OptionInput({ field, control, value, onChange }: FieldInputProps) {
  const texts = useTexts(TEXTS);
  return (
    <select className="input" {...control} value={String(value)} onChange={(event) => onChange(event.target.value)}>
      {field.required && value !== '' ? null : <option value="">{texts.none}</option>}
      {field.options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

export interface RecordFormProps {
  readonly model: ObjectModel;
  /** The record as it is when the form opens; undefined creates one. */
  readonly record?: CrmRecord;
  readonly onSaved: (record: CrmRecord) => void;
  readonly onCancel: () => void;
}

/**
 * Creates or changes a record. What was typed stays through every refusal; when somebody else has changed the record meanwhile,
 * each field shows what is saved now, and saving again is a decision.
 */
export function RecordForm({ model, record: given, onSaved, onCancel }: RecordFormProps) {
  const texts = useTexts(TEXTS);
  const locale = useLocale();
  const create = useCreate(model.name);
  const update = useUpdate(model.name);
  // As it was when the form opened: a record that is read again meanwhile must not look as if the user had seen it.
  const [record] = useState(given);
  const [before] = useState<Draft>(() => draftOf(model, record));
  const [draft, setDraft] = useState(before);
  const [wasSubmitted, setSubmitted] = useState(false);
  const [key] = useState(() => crypto.randomUUID());
  const [version, setVersion] = useState(record?.version);
  const form = useRef<HTMLFormElement>(null);
  const { error, isPending } = record ? update : create;
  const own = wasSubmitted ? problemsOf(model, draft) : {};
  const isConflict = error instanceof ApiProblem && error.code === 'VERSION_MISMATCH';
  const theirs = useTheirs(model, record, isConflict, setVersion);

  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);

  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setSubmitted(true);
    const problems = Object.keys(problemsOf(model, draft));
    if (problems.length > 0) {
      // The inputs are marked with the next rendering.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
      return;
    }
    const fields = changesOf(model, before, draft);
    if (record && Object.keys(fields).length === 0) return onCancel();
    const saving = record
      ? update.mutateAsync({ id: record.id, fields, version })
      : create.mutateAsync({ fields, key });
    // The mutation keeps its error, which is shown below.
    await saving.then(onSaved, () => undefined);
  };

  const problemOf = (apiName: string): string | undefined => {
    const found = own[apiName];
    if (found) return texts[found];
    return error instanceof ApiProblem
      ? error.fields.find(({ pointer }) => pointer === `/${apiName}`)?.detail
      : undefined;
  };
  const words = error ? problemInWords(error, locale.language) : undefined;

  return (
    <form ref={form} className="form" noValidate onSubmit={(event) => void onSubmit(event)}>
      {words ? (
        <Notice kind="error" title={words.title}>
          {words.text}
        </Notice>
      ) : null}
      <div className="form-fields">
        {writableFields(model).map((field) => {
          const theirText =
            theirs && draftOf(model, theirs)[field.apiName] !== before[field.apiName]
              ? texts.theirs(formatValue(field, theirs[field.apiName], locale, texts) ?? texts.none)
              : undefined;
          return (
            <Field
              key={field.apiName}
              label={field.label}
              required={field.required}
              requiredText={texts.required}
              problem={problemOf(field.apiName) ?? theirText}
            >
              {(control) => (
                <FieldInput
                  field={field}
                  control={control}
                  value={draft[field.apiName] ?? ''}
                  onChange={(value) => setDraft((present) => ({ ...present, [field.apiName]: value }))}
                />
              )}
            </Field>
          );
        })}
      </div>
      <div className="form-actions">
        <Button type="submit" look="primary" disabled={isPending}>
          {isPending ? texts.saving : texts.save}
        </Button>
        <Button onClick={onCancel}>{texts.cancel}</Button>
      </div>
    </form>
  );
}

/** After a conflict: the record as it is now, whose version the next attempt names. */
function useTheirs(
  model: ObjectModel,
  record: CrmRecord | undefined,
  isConflict: boolean,
  onVersion: (version: number) => void,
): CrmRecord | undefined {
  const { data, refetch } = useRecord(model.name, record?.id);
  useEffect(() => {
    if (isConflict) void refetch().then(({ data: now }) => now && onVersion(now.version));
  }, [isConflict, refetch, onVersion]);
  return isConflict && data && data.version !== record?.version ? data : undefined;
}
