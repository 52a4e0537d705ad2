import { useLocale, useTexts } from '@crm/ui';
import { Button, CloseButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useRecords } from '../data/records-context.js';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';
import { FieldInput } from '../record/field-input.js';
import { TEXTS } from '../texts.js';
import {
  type ConditionDraft,
  emptyValue,
  filterFields,
  filterOfGroup,
  type GroupDraft,
  groupDraftOf,
  inputField,
  isGroup,
  isTemporal,
  isUnary,
  type Line,
  lineOf,
  MAX_CONDITIONS,
  newDraft,
  newGroup,
  operatorsOf,
  sizeOf,
  type ValueKind,
} from './condition-draft.js';
import { type Filter, PERIODS } from './filter.js';
import { FILTER_TEXTS, operatorText } from './filter.texts.js';
import type { ListState } from './list-state.js';
import { PanelButton } from './panel-button.js';

export interface FilterButtonProps {
  readonly model: ObjectModel;
  readonly state: ListState;
  readonly onState: (state: ListState) => void;
}

/** Puts conditions together. */
export default function FilterButton(props: FilterButtonProps) {
  const texts = useTexts(TEXTS);
  return (
    <PanelButton label={texts.filter} width="min(40rem, calc(100vw - 2rem))">
      {(close) => <FilterPanel {...props} onClose={close} />}
    </PanelButton>
  );
}

function FilterPanel({ model, state, onState, onClose }: FilterButtonProps & { readonly onClose: () => void }) {
  const texts = useTexts(FILTER_TEXTS);
  const { apply, clear } = useTexts(TEXTS);
  const { tag } = useLocale();
  const fields = filterFields(model, texts);
  const [group, setGroup] = useState(() => {
    const begun = groupDraftOf(fields, state.filter, tag);
    return begun.lines.length > 0 ? begun : newGroup(fields, begun.isAny);
  });
  const isFull = sizeOf(group) >= MAX_CONDITIONS;
  const close = (filter: Filter | undefined): void => {
    onState({ ...state, filter });
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    close(filterOfGroup(fields, group, tag));
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="sm">
        <GroupInputs fields={fields} group={group} onChange={setGroup} number="" isFull={isFull} />
        {isFull ? <Text size="xs">{texts.full(MAX_CONDITIONS)}</Text> : null}
        <Group gap="xs">
          <Button type="submit">{apply}</Button>
          {state.filter ? (
            <Button variant="subtle" ml="auto" onClick={() => close(undefined)}>
              {clear}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}

interface GroupInputsProps {
  readonly fields: readonly FieldModel[];
  readonly group: GroupDraft;
  readonly onChange: (group: GroupDraft) => void;
  /** What stands before the numbers of its conditions; empty for the group that is not in another one. */
  readonly number: string;
  /** True when the whole filter takes no more. */
  readonly isFull: boolean;
}

/** Conditions of which all hold or one is enough, and groups of such. */
function GroupInputs({ fields, group, onChange, number, isFull }: GroupInputsProps) {
  const texts = useTexts(FILTER_TEXTS);
  const { isAny, lines } = group;
  const setLines = (next: readonly Line[]): void => onChange({ isAny, lines: next });
  const added = newGroup(fields, !isAny);
  const add = (more: readonly Line[]) => ({
    ...{ variant: 'default', size: 'compact-sm', onClick: () => isFull || setLines([...lines, ...more]) },
    // The last one that was added leaves the focus here.
    ...{ 'aria-disabled': isFull, 'data-disabled': isFull || undefined },
  });
  return (
    <>
      {lines.length > 1 || number !== '' ? (
        <NativeSelect
          aria-label={texts.combine}
          value={isAny ? 'any' : 'all'}
          data={(['all', 'any'] as const).map((value) => ({ value, label: texts[value] }))}
          onChange={({ currentTarget }) => onChange({ lines, isAny: currentTarget.value === 'any' })}
        />
      ) : null}
      {lines.map(({ key, draft }, index) => {
        const own = `${number}${index + 1}`;
        const setDraft = (next: Line['draft']): void =>
          setLines(lines.map((line) => (line.key === key ? { key, draft: next } : line)));
        return (
          <fieldset key={key} className="filter-line" aria-label={texts.condition(own)}>
            {isGroup(draft) ? (
              <Stack gap="sm" className="filter-group">
                <GroupInputs fields={fields} group={draft} onChange={setDraft} number={`${own}.`} isFull={isFull} />
              </Stack>
            ) : 'kept' in draft ? (
              <Text size="sm" style={{ gridColumn: '1 / -2' }}>
                {texts.kept(draft.kept.field)}
              </Text>
            ) : (
              <ConditionInputs fields={fields} draft={draft} onChange={setDraft} />
            )}
            <CloseButton
              aria-label={texts.takeAwayCondition(own)}
              onClick={() => setLines(lines.filter((line) => line.key !== key))}
            />
          </fieldset>
        );
      })}
      <Group gap="xs">
        <Button {...add(added.lines)}>{texts.add}</Button>
        {number === '' ? <Button {...add([lineOf(added)])}>{texts.addGroup}</Button> : null}
      </Group>
    </>
  );
}

interface ConditionInputsProps {
  readonly fields: readonly FieldModel[];
  readonly draft: ConditionDraft;
  readonly onChange: (draft: ConditionDraft) => void;
}

/** Field, operator and value; the value is chosen by what the field is. */
function ConditionInputs({ fields, draft, onChange }: ConditionInputsProps) {
  const texts = useTexts(FILTER_TEXTS);
  const words = useTexts(TEXTS);
  const { people } = useRecords();
  const field = fields.find(({ apiName }) => apiName === draft.field);
  if (!field) return null;
  const { op, kind, value } = draft;
  const kinds: readonly ValueKind[] | undefined = isTemporal(field)
    ? [...PERIODS, 'daysAgo', 'daysAhead', 'typed']
    : field.target === 'user'
      ? people
        ? ['me', 'typed']
        : ['me']
      : undefined;
  const setField = (name: string): void => {
    const next = fields.find(({ apiName }) => apiName === name);
    if (next) onChange(newDraft(next));
  };
  const setOperator = (next: string): void => {
    const isOtherShape = typeof emptyValue(field, next) !== typeof emptyValue(field, op);
    onChange({ ...draft, op: next, ...(isOtherShape ? { value: emptyValue(field, next) } : {}) });
  };
  return (
    <>
      <NativeSelect
        aria-label={texts.field}
        value={field.apiName}
        data={fields.map(({ apiName, label }) => ({ value: apiName, label }))}
        onChange={({ currentTarget }) => setField(currentTarget.value)}
      />
      <NativeSelect
        aria-label={texts.operator}
        value={op}
        data={operatorsOf(field).map((name) => ({ value: name, label: operatorText(texts, field, name) }))}
        onChange={({ currentTarget }) => setOperator(currentTarget.value)}
      />
      {isUnary(op) ? null : (
        <div className="filter-value">
          {kinds ? (
            <NativeSelect
              aria-label={texts.period}
              value={kind}
              data={kinds.map((name) => ({
                value: name,
                label: name === 'typed' ? texts.typed[field.target === 'user' ? 'person' : 'day'] : texts.kinds[name],
              }))}
              onChange={({ currentTarget }) =>
                onChange({ ...draft, kind: currentTarget.value as ValueKind, value: '' })
              }
            />
          ) : null}
          {kind === 'daysAgo' || kind === 'daysAhead' ? (
            <TextInput
              aria-label={texts.days}
              inputMode="numeric"
              value={String(value)}
              onChange={({ currentTarget }) => onChange({ ...draft, value: currentTarget.value })}
            />
          ) : null}
          {kind === 'typed' ? (
            <FieldInput
              field={{ ...inputField(field, op, words), label: texts.value }}
              value={value}
              onChange={(next) => onChange({ ...draft, value: next })}
              hasNoLabel
            />
          ) : null}
        </div>
      )}
    </>
  );
}
