import { ApiProblem, type CrmRecord, expandedOf, type FieldValue } from '@crm/api-client';
import { Icon, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { ActionIcon, Alert, Badge, Button, Group } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useRecord, useUpdate } from '../data/record.queries.js';
import { useRecords } from '../data/records-context.js';
import { type DraftValue, viewOf } from '../objects/field-types.js';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { ValueText } from '../values/format-value.js';
import { faultOf, fieldValue, inputOf, isSame, isUntouched, isWritable, problemOf } from './draft.js';
import { FieldInput } from './field-input.js';

export interface FieldRowProps {
  readonly model: ObjectModel;
  readonly field: FieldModel;
  readonly record: CrmRecord;
}

const MISMATCH = 'VERSION_MISMATCH';

/** What an edit began with, and what stands in the input. */
interface Edit {
  readonly before: FieldValue | undefined;
  readonly draft: DraftValue;
  /** That `before` is of: what is loaded meanwhile may hold a change that the user has not seen. */
  readonly version: number;
}

/** A conflict: what someone else has saved, and the version that has it. */
interface Theirs {
  readonly value: FieldValue | undefined;
  readonly version: number;
}

/**
 * A field of a record, changed in its place. The change is shown at once; a refusal brings the input back with what was typed.
 * When someone else has changed the same field meanwhile, both values are shown; of another field nobody needs to hear.
 */
export function FieldRow({ model, field, record }: FieldRowProps) {
  const texts = useTexts(TEXTS);
  const { tag } = useLocale();
  const { objects, onSaved } = useRecords();
  const { refetch } = useRecord(model.name, record.id);
  const { mutateAsync, error, isPending, reset } = useUpdate(model.name);
  const { mutateAsync: undo } = useUpdate(model.name);
  const [edit, setEdit] = useState<Edit>();
  const [theirs, setTheirs] = useState<Theirs>();
  const [fault, setFault] = useState<'missing' | 'notANumber'>();
  const pencil = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);
  const value = record[field.apiName];
  const named = namedObject(record, field, objects);
  const isWide = viewOf(field.type).control === 'lines';

  useEffect(() => {
    // The focus goes back to where the edit was opened, unless someone types elsewhere by now.
    if (!edit && wasEdited.current && !isTyping()) pencil.current?.focus();
    wasEdited.current = edit !== undefined;
  }, [edit]);
  const close = (): void => {
    setEdit(undefined);
    setTheirs(undefined);
    setFault(undefined);
    reset();
  };
  const save = async ({ before, draft, version }: Edit): Promise<void> => {
    if (isUntouched(field, before, draft, tag)) return close();
    const found = faultOf(field, draft, tag);
    setFault(found);
    if (found) return;
    const next = fieldValue(field, draft, tag);
    if (isSame(next, before ?? null)) return close();
    try {
      const saved = await mutateAsync({ id: record.id, fields: { [field.apiName]: next }, version });
      close();
      onSaved?.(texts.saved(field.label), () => takeBack(before ?? null, saved));
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      if (problem.code !== MISMATCH) return;
      const { data: now } = await refetch();
      if (!now) return;
      const saved = now[field.apiName];
      if (isSame(saved ?? null, before ?? null)) await save({ before, draft, version: now.version });
      else setTheirs({ value: saved, version: now.version });
    }
  };
  const takeBack = async (before: FieldValue, saved: CrmRecord): Promise<void> => {
    const put = ({ version }: CrmRecord) => undo({ id: record.id, fields: { [field.apiName]: before }, version });
    try {
      await put(saved);
    } catch (problem) {
      if (!(problem instanceof ApiProblem && problem.code === MISMATCH)) throw problem;
      const { data: now } = await refetch({ throwOnError: true });
      if (!now || !isSame(now[field.apiName] ?? null, saved[field.apiName] ?? null)) throw problem;
      await put(now);
    }
  };
  const start = (): void => setEdit({ before: value, draft: inputOf(field, value, tag), version: record.version });
  const label = (
    <dt>
      {field.label}
      {field.type === 'formula' ? (
        <Badge size="xs" variant="default" ml={6} tt="none" title={texts.formulaText}>
          {texts.formula}
        </Badge>
      ) : null}
    </dt>
  );
  if (!edit || (isPending && !theirs)) {
    return (
      <div className={isWide ? 'record-field wide' : 'record-field'}>
        {label}
        <dd>
          <span className="record-value">
            <ValueText field={field} value={value} named={named} />
          </span>
          {isWritable(field) && model.updatable ? (
            <ActionIcon
              ref={pencil}
              className="record-edit"
              variant="subtle"
              color="gray"
              aria-label={texts.editField(field.label)}
              // A save under way would close the edit that this opens.
              loading={isPending}
              onClick={start}
            >
              <Icon name="edit" />
            </ActionIcon>
          ) : null}
        </dd>
      </div>
    );
  }
  const refused = fault ? texts[fault] : problemOf(error, field.apiName);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) close();
    if (event.key === 'Enter' && (isWide ? event.ctrlKey || event.metaKey : viewOf(field.type).control === undefined)) {
      event.preventDefault();
      void save(edit);
    }
  };
  return (
    <div className="record-field wide">
      {label}
      <dd className="record-editor">
        <FieldInput
          field={field}
          value={edit.draft}
          onChange={(draft) => setEdit({ ...edit, draft })}
          problem={refused}
          named={named}
          hasNoLabel
          // An edit that is refused opens again beside what is being typed.
          isFocused={!isTyping()}
          onKeyDown={onKeyDown}
        />
        {theirs ? (
          <Conflict
            field={field}
            mine={fieldValue(field, edit.draft, tag)}
            theirs={theirs.value}
            onMine={() => void save({ before: theirs.value, draft: edit.draft, version: theirs.version })}
            onTheirs={close}
          />
        ) : (
          <>
            {error && !refused ? <ProblemNotice problem={error} /> : null}
            <Group gap="xs" mt="xs">
              <Button size="xs" onClick={() => void save(edit)}>
                {texts.save}
              </Button>
              <Button size="xs" variant="default" onClick={close}>
                {texts.cancel}
              </Button>
            </Group>
          </>
        )}
      </dd>
    </div>
  );
}

const isTyping = (): boolean => document.activeElement?.matches('input, textarea, select') === true;

/** The object of the record that a reference to one of several names. */
function namedObject(record: CrmRecord, { apiName }: FieldModel, objects: readonly ObjectModel[]) {
  const found = expandedOf(record, apiName);
  return found && found.id === record[apiName] ? objects.find((one) => one.apiName === found.object)?.name : undefined;
}

interface ConflictProps {
  readonly field: FieldModel;
  readonly mine: FieldValue;
  readonly theirs: FieldValue | undefined;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

/** Both values of a field that two people have changed. */
function Conflict({ field, mine, theirs, onMine, onTheirs }: ConflictProps) {
  const texts = useTexts(TEXTS);
  return (
    <Alert role="alert" color="red" title={texts.conflict} mt="xs">
      <dl className="record-conflict">
        <dt>{texts.theirs}</dt>
        <dd>
          <ValueText field={field} value={theirs} />
        </dd>
        <dt>{texts.mine}</dt>
        <dd>
          <ValueText field={field} value={mine} />
        </dd>
      </dl>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={onMine}>
          {texts.saveMine}
        </Button>
        <Button size="xs" variant="default" onClick={onTheirs}>
          {texts.keepTheirs}
        </Button>
      </Group>
    </Alert>
  );
}
