import type { CrmRecord, ObjectName } from '@crm/api-client';
import { useTexts } from '@crm/ui';
import { Group, Input, NativeSelect, Select, type SelectProps, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { usePeople, usePerson, useRecord, useSuggestions } from '../data/record.queries.js';
import { useRecords } from '../data/records-context.js';
import { type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { ReferenceName } from '../values/format-value.js';

const TYPING_PAUSE_MS = 200;

export interface ReferencePickerProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  readonly targets: readonly (ObjectName | 'user')[];
  /** The object of the chosen record, where that can be one of several. */
  readonly named?: ObjectName | undefined;
  /** Id of the chosen record or person; empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Chooses by searching. Of objects that the caller cannot read, the reference stays as it is. */
export function ReferencePicker({ targets, named, ...props }: ReferencePickerProps) {
  const { objects } = useRecords();
  const models = objects.filter(({ name }) => targets.includes(name));
  const [model] = models;
  if (targets.includes('user')) return <PersonPicker {...props} />;
  if (model && targets.length > 1) return <ObjectPicker {...props} models={models} named={named} />;
  if (model) return <RecordPicker {...props} model={model} />;
  return <Text>{props.value === '' ? null : <ReferenceName target={targets[0]} id={props.value} />}</Text>;
}

type PickerProps = Omit<ReferencePickerProps, 'targets' | 'named'>;

interface ObjectPickerProps extends PickerProps {
  readonly models: readonly ObjectModel[];
  readonly named: ObjectName | undefined;
}

/** First the object, then one of its records. */
function ObjectPicker({ models, named, label, ...props }: ObjectPickerProps) {
  const texts = useTexts(TEXTS);
  const [chosen, setChosen] = useState(named);
  const model = models.find(({ name }) => name === chosen) ?? (models[0] as ObjectModel);
  const onObject = (next: string): void => {
    setChosen(next as ObjectName);
    props.onChange('');
  };
  return (
    <Input.Wrapper label={label} labelElement="div" role="group" aria-label={props['aria-label'] ?? String(label)}>
      <Group gap="xs" wrap="nowrap" align="start">
        <NativeSelect
          aria-label={texts.kindOfRecord}
          value={model.name}
          data={models.map(({ name, label: text }) => ({ value: name, label: text }))}
          onChange={({ currentTarget }) => onObject(currentTarget.value)}
        />
        <RecordPicker {...props} key={model.name} aria-label={model.label} model={model} style={{ flex: 1 }} />
      </Group>
    </Input.Wrapper>
  );
}

function RecordPicker({ model, ...props }: PickerProps & { readonly model: ObjectModel }) {
  const texts = useTexts(TEXTS);
  const [q, setQ] = useState<string>();
  const { data: chosen } = useRecord(model.name, props.value || undefined);
  const { data: found } = useSuggestions(model.name, q);
  const nameOf = (record: CrmRecord): string => titleOf(model, record) || texts.untitled;
  return (
    <SearchSelect
      {...props}
      chosen={chosen && nameOf(chosen)}
      found={found?.data.map((record) => ({ value: record.id, label: nameOf(record) }))}
      onSearch={setQ}
      placeholder={texts.search(model.pluralLabel)}
    />
  );
}

function PersonPicker(props: PickerProps) {
  const texts = useTexts(TEXTS);
  const [q, setQ] = useState<string>();
  const { data: chosen } = usePerson(props.value || undefined);
  const { data: found } = usePeople(q);
  return (
    <SearchSelect
      {...props}
      chosen={chosen?.name}
      found={found?.map(({ id, name }) => ({ value: id, label: name }))}
      onSearch={setQ}
      placeholder={texts.searchPeople}
    />
  );
}

interface SearchSelectProps extends PickerProps {
  /** What the chosen one is called. */
  readonly chosen: string | undefined;
  /** What the API has found; undefined while it searches. */
  readonly found: readonly { readonly value: string; readonly label: string }[] | undefined;
  /** What to search for; undefined for nothing. */
  readonly onSearch: (q: string | undefined) => void;
}

function SearchSelect({ value, chosen, found, onSearch, onChange, ...others }: SearchSelectProps) {
  const texts = useTexts(TEXTS);
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [settled] = useDebouncedValue(search.trim(), TYPING_PAUSE_MS);
  const title = chosen ?? texts.linked;
  // What stands in the input of a chosen one is its name, and no search.
  const q = value !== '' && settled === title ? '' : settled;
  useEffect(() => onSearch(isOpen ? q : undefined), [isOpen, q, onSearch]);
  const options = found ?? [];
  const hasChosen = value === '' || options.some((option) => option.value === value);
  return (
    <Select
      {...others}
      data={hasChosen ? options : [{ value, label: title }, ...options]}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.clear }}
      // Within the page's landmarks, and within a drawer.
      comboboxProps={{ withinPortal: false }}
      // The API has searched.
      filter={({ options: all }) => all}
      searchValue={search}
      onSearchChange={setSearch}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      nothingFoundMessage={found ? texts.noMatch : texts.loading}
    />
  );
}
