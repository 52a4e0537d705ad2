import type { CrmRecord, ObjectName, RecordFields } from '@crm/api-client';
import { ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useCreate } from '../data/record.queries.js';
import type { ObjectModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { changesOf, type Draft, draftOf, problemOf, problemsOf, writableFields } from './draft.js';
import { FieldInput } from './field-input.js';

export interface RecordFormProps {
  readonly model: ObjectModel;
  readonly onCreated: (record: CrmRecord) => void;
  readonly onCancel: () => void;
  /** Returns whether something was typed that is not saved. */
  readonly onTouched?: (isTouched: boolean) => void;
  /** The record that a field of the new one names from the beginning. */
  readonly related?: Related;
  /** Asked before the record is created. @returns false for not yet */
  readonly onCheck?: (fields: RecordFields) => Promise<boolean>;
  /** What the check has found, and what the button says then. */
  readonly notice?: ReactNode;
  readonly act?: string;
}

/** A reference that is filled in. */
export interface Related {
  readonly field: string;
  readonly object: ObjectName;
  readonly id: string;
}

/** Creates a record. What was typed stays through every refusal; what is wrong stands beside its field. */
export function RecordForm(props: RecordFormProps) {
  const { model, onCreated, onCancel, onTouched, related, onCheck, notice, act } = props;
  const texts = useTexts(TEXTS);
  const { tag } = useLocale();
  const create = useCreate(model.name);
  const [before] = useState<Draft>(() => draftOf(model, undefined, tag));
  const [begun] = useState<Draft>(() => (related ? { ...before, [related.field]: related.id } : before));
  const [draft, setDraft] = useState(begun);
  const [wasSubmitted, setSubmitted] = useState(false);
  const [isChecking, setChecking] = useState(false);
  // The same for every attempt, so that a repeated one creates nothing more.
  const [key] = useState(() => crypto.randomUUID());
  const isTouched = Object.keys(changesOf(model, begun, draft, tag)).length > 0;
  useEffect(() => onTouched?.(isTouched), [onTouched, isTouched]);
  const form = useRef<HTMLFormElement>(null);
  const { error, isPending } = create;
  const own = wasSubmitted ? problemsOf(model, draft, tag) : {};
  const focusProblem = (): void => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  useEffect(() => {
    if (error) focusProblem();
  }, [error]);

  const onSubmit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setSubmitted(true);
    if (Object.keys(problemsOf(model, draft, tag)).length > 0) {
      // The inputs are marked with the next rendering.
      requestAnimationFrame(focusProblem);
      return;
    }
    const fields = changesOf(model, before, draft, tag);
    if (onCheck) {
      setChecking(true);
      const isFine = await onCheck(fields).finally(() => setChecking(false));
      if (!isFine) return;
    }
    // The mutation keeps its error, which is shown below.
    await create.mutateAsync({ fields, key }).then(onCreated, () => undefined);
  };
  return (
    <form ref={form} noValidate onSubmit={(event) => void onSubmit(event)}>
      <Stack gap="md">
        {error ? <ProblemNotice problem={error} /> : null}
        {writableFields(model).map((field, index) => (
          <FieldInput
            key={field.apiName}
            field={field}
            value={draft[field.apiName] ?? ''}
            problem={own[field.apiName] ? texts[own[field.apiName]!] : problemOf(error, field.apiName)}
            isFocused={index === 0}
            named={related?.field === field.apiName ? related.object : undefined}
            onChange={(value) => setDraft((present) => ({ ...present, [field.apiName]: value }))}
          />
        ))}
        {notice}
        <Group className="record-actions">
          <Button type="submit" loading={isPending || isChecking}>
            {act ?? texts.save}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
