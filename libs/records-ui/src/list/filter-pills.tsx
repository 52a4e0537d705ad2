import { useLocale, useTexts } from '@crm/ui';
import { Button, Pill, Text } from '@mantine/core';
import { Fragment } from 'react';
import { usePerson, useRecord } from '../data/record.queries.js';
import { useObject } from '../data/records-context.js';
import { titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatValue } from '../values/format-value.js';
import { filterFields, isUnary } from './condition-draft.js';
import {
  type Condition,
  conditionsOf,
  type Filter,
  filterOf,
  isCondition,
  isRelative,
  type Relative,
} from './filter.js';
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
          {isCondition(member) ? (
            <ConditionPill model={model} condition={member} onRemove={() => without(member)} />
          ) : (
            <WordPill words={texts.group} onRemove={() => without(member)} />
          )}
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

interface ConditionPillProps extends Pick<FilterButtonProps, 'model'> {
  readonly condition: Condition;
  readonly onRemove: () => void;
}

function ConditionPill({ model, condition, onRemove }: ConditionPillProps) {
  const texts = useTexts(FILTER_TEXTS);
  const words = useTexts(TEXTS);
  const locale = useLocale();
  const { field: name, op = 'eq', value } = condition;
  const field = filterFields(model, texts).find(({ apiName }) => apiName === name);
  const id = field?.type === 'reference' && typeof value === 'string' ? value : undefined;
  const target = useObject(field?.target);
  const { data: record } = useRecord(target?.name ?? model.name, target && id);
  const { data: person } = usePerson(field?.target === 'user' ? id : undefined);
  const shown = (): string => {
    if (isRelative(value)) return relativeText(texts, value);
    if (id !== undefined) return person?.name ?? ((target && record && titleOf(target, record)) || words.linked);
    return (field && formatValue(field, value, locale, words)) ?? String(value);
  };
  const label = field?.label ?? name;
  const operator = field ? operatorText(texts, field, op) : op;
  const text = isUnary(op)
    ? `${label} ${operator}`
    : op === 'eq'
      ? `${label}: ${shown()}`
      : `${label} ${operator} ${shown()}`;
  return <WordPill words={text} onRemove={onRemove} />;
}

function WordPill({ words, onRemove }: { readonly words: string; readonly onRemove: () => void }) {
  const texts = useTexts(TEXTS);
  return (
    <Pill
      size="md"
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': texts.takeAway(words), 'aria-hidden': false, tabIndex: 0 }}
    >
      {words}
    </Pill>
  );
}

function relativeText(texts: FilterTexts, { relative }: Relative): string {
  if (typeof relative === 'string') return texts.kinds[relative] ?? relative;
  const { days } = relative;
  return days < 0 ? texts.ago(-days) : texts.ahead(days);
}
