import { useLocale, useTexts } from '@crm/ui';
import { Button, Pill, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Fragment } from 'react';
import { usePersonOptions, useRecordOptions } from '../data/record.queries.js';
import { useRecords } from '../data/records-context.js';
import { type FieldModel, type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatValue } from '../values/format-value.js';
import { filterFields, isUnary } from './condition-draft.js';
import { conditionsOf, type Filter, filterOf, filterText, isRelative, leavesOf, type Relative } from './filter.js';
import { FILTER_TEXTS, type FilterTexts, operatorText } from './filter.texts.js';
import type { FilterButtonProps } from './filter-button.js';

/** What the list is filtered by in words, each with a way to take it away. */
export default function FilterPills({ model, state, onState }: FilterButtonProps) {
  const texts = useTexts(FILTER_TEXTS);
  const { isAny, members } = conditionsOf(state.filter);
  const without = (member: Filter): void =>
    onState({ ...state, filter: filterOf({ isAny, members: members.filter((one) => one !== member) }) });
  return (
    <div className="records-pills">
      {members.map((member, index) => (
        <Fragment key={index}>
          {isAny && index > 0 ? (
            <Text size="xs" c="dimmed" span>
              {texts.or}
            </Text>
          ) : null}
          <FilterPill model={model} filter={member} onRemove={() => without(member)} />
        </Fragment>
      ))}
      {members.length > 1 ? (
        <Button size="compact-xs" variant="subtle" onClick={() => onState({ ...state, filter: undefined })}>
          {texts.clearAll}
        </Button>
      ) : null}
    </div>
  );
}

interface FilterPillProps extends Pick<FilterButtonProps, 'model'> {
  readonly filter: Filter;
  readonly onRemove: () => void;
}

function FilterPill({ model, filter, onRemove }: FilterPillProps) {
  const texts = useTexts(FILTER_TEXTS);
  const words = useTexts(TEXTS);
  const locale = useLocale();
  const nameOf = useNames(model, filter);
  const text = filterText(filter, texts, ({ field: name, op = 'eq', value }) => {
    const field = filterFields(model, texts).find(({ apiName }) => apiName === name);
    const shown = (): string => {
      if (isRelative(value)) return relativeText(texts, value);
      if (field?.type === 'reference' && typeof value === 'string') return nameOf(value) ?? words.linked;
      return (field && formatValue(field, value, locale, words)) ?? String(value);
    };
    const start = `${field?.label ?? name}${op === 'eq' ? ':' : ` ${field ? operatorText(texts, field, op) : op}`}`;
    return isUnary(op) ? start : `${start} ${shown()}`;
  });
  return (
    <Pill
      size="md"
      maw="min(100%, 28rem)"
      title={text}
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': words.takeAway(text), 'aria-hidden': false, tabIndex: 0 }}
    >
      {text}
    </Pill>
  );
}

/** Names of the records and people that a filter asks for, as far as they are known. */
function useNames(model: ObjectModel, filter: Filter): (id: string) => string | undefined {
  const { objects } = useRecords();
  const record = useRecordOptions();
  const person = usePersonOptions();
  const targets = new Map<string, FieldModel['target']>();
  const fields = filterFields(model, useTexts(FILTER_TEXTS));
  for (const { field: name, value } of leavesOf(filter)) {
    const field = fields.find(({ apiName }) => apiName === name);
    if (field?.type === 'reference' && typeof value === 'string') targets.set(value, field.target);
  }
  const people = [...targets.keys()].filter((id) => targets.get(id) === 'user');
  const linked = [...targets].flatMap(([id, target]) => {
    const object = objects.find(({ name }) => name === target);
    return object ? [{ id, object }] : [];
  });
  const persons = useQueries({ queries: people.map(person) });
  const records = useQueries({ queries: linked.map(({ id, object }) => record(object.name, id)) });
  const names = new Map(people.map((id, index) => [id, persons[index]?.data?.name]));
  linked.forEach(({ id, object }, index) => {
    const found = records[index]?.data;
    names.set(id, found && titleOf(object, found));
  });
  return (id) => names.get(id);
}

function relativeText(texts: FilterTexts, { relative }: Relative): string {
  if (typeof relative === 'string') return texts.kinds[relative] ?? relative;
  const { days } = relative;
  return days < 0 ? texts.ago(-days) : texts.ahead(days);
}
