import { useLocale, useTexts } from '@crm/ui';
import { Button, CloseButton, Group, NativeSelect, Popover, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useRecords } from '../data/records-context.js';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';
import { FieldInput } from '../record/field-input.js';
import { TEXTS } from '../texts.js';
import {
  type ConditionDraft,
  conditionOf,
  draftOf,
  emptyValue,
  filterFields,
  inputField,
  isTemporal,
  isUnary,
  newDraft,
  operatorsOf,
  type ValueKind,
} from './condition-draft.js';
import { type Condition, conditionsOf, type Filter, filterOf, isCondition, PERIODS } from './filter.js';
import { FILTER_TEXTS, operatorText } from './filter.texts.js';
import type { ListState } from './list-state.js';

/** What the API accepts. */
const MAX_CONDITIONS = 25;

export interface FilterButtonProps {
  readonly model: ObjectModel;
  readonly state: ListState;
  readonly onState: (state: ListState) => void;
}

/** A condition with a key of its own, by which its inputs stay what they are; a group is kept as it is. */
interface Line {
  readonly key: string;
  readonly draft: ConditionDraft | Exclude<Filter, Condition>;
}

const lineOf = (draft: Line['draft']): Line => ({ key: crypto.randomUUID(), draft });
const isDraft = (draft: Line['draft']): draft is ConditionDraft => 'field' in draft;

/** Puts conditions together. Open from the beginning: a click has asked for it. */
export default function FilterButton({ model, state, onState }: FilterButtonProps) {
  const texts = useTexts(TEXTS);
  const [isOpen, setOpen] = useState(true);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      trapFocus
      position="bottom-start"
      shadow="md"
      width="min(40rem, calc(100vw - 2rem))"
    >
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!isOpen)}>
          {texts.filter}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <FilterPanel model={model} state={state} onState={onState} onClose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function FilterPanel({ model, state, onState, onClose }: FilterButtonProps & { readonly onClose: () => void }) {
  const texts = useTexts(FILTER_TEXTS);
  const { apply, clear } = useTexts(TEXTS);
  const { tag } = useLocale();
  const fields = filterFields(model, texts);
  const fieldOf = (name: string): FieldModel | undefined => fields.find(({ apiName }) => apiName === name);
  const [{ isAny, lines }, set] = useState(() => {
    const { isAny, members } = conditionsOf(state.filter);
    const drafts = members.flatMap((member): Line['draft'][] => {
      if (!isCondition(member)) return [member];
      const field = fieldOf(member.field);
      return field ? [draftOf(field, member, tag)] : [];
    });
    const all = drafts.length > 0 ? drafts : fields.slice(0, 1).map(newDraft);
    return { isAny, lines: all.map(lineOf) };
  });
  const setLines = (next: readonly Line[]): void => set({ isAny, lines: [...next] });
  const close = (filter: Filter | undefined): void => {
    onState({ ...state, filter });
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const members = lines.flatMap(({ draft }): Filter | Filter[] => {
      if (!isDraft(draft)) return draft;
      const field = fieldOf(draft.field);
      return (field && conditionOf(field, draft, tag)) || [];
    });
    close(filterOf({ isAny, members }));
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="sm">
        {lines.length > 1 ? (
          <NativeSelect
            aria-label={texts.combine}
            value={isAny ? 'any' : 'all'}
            data={(['all', 'any'] as const).map((value) => ({ value, label: texts[value] }))}
            onChange={({ currentTarget }) => set({ lines, isAny: currentTarget.value === 'any' })}
          />
        ) : null}
        {lines.map(({ key, draft }, index) => (
          <fieldset key={key} className="filter-line" aria-label={texts.condition(index + 1)}>
            {isDraft(draft) ? (
              <ConditionInputs
                fields={fields}
                draft={draft}
                onChange={(next) => setLines(lines.map((line) => (line.key === key ? { key, draft: next } : line)))}
              />
            ) : (
              <Text size="sm">{texts.group}</Text>
            )}
            <CloseButton
              aria-label={texts.takeAwayCondition(index + 1)}
              onClick={() => setLines(lines.filter((line) => line.key !== key))}
            />
          </fieldset>
        ))}
        <Group gap="xs">
          <Button type="submit">{apply}</Button>
          <Button
            variant="default"
            disabled={lines.length >= MAX_CONDITIONS}
            onClick={() => setLines([...lines, ...fields.slice(0, 1).map(newDraft).map(lineOf)])}
          >
            {texts.add}
          </Button>
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
