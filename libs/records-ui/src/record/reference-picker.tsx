import type { ObjectName } from '@crm/api-client';
import { useTexts } from '@crm/ui';
import { Select, type SelectProps, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRecord, useSuggestions } from '../data/record.queries.js';
import { useObject } from '../data/records-context.js';
import { type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { ReferenceName } from '../values/format-value.js';

const TYPING_PAUSE_MS = 200;

export interface ReferencePickerProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  readonly target: ObjectName;
  /** Id of the chosen record; empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Chooses a record by searching for it. Of an object that the caller cannot read, the reference stays as it is. */
export function ReferencePicker(props: ReferencePickerProps) {
  const model = useObject(props.target);
  if (!model)
    return <Text>{props.value === '' ? null : <ReferenceName target={props.target} id={props.value} />}</Text>;
  return <Picker {...props} model={model} />;
}

function Picker({ target, value, onChange, model, ...others }: ReferencePickerProps & { readonly model: ObjectModel }) {
  const texts = useTexts(TEXTS);
  const { data: chosen } = useRecord(model.name, value === '' ? undefined : value);
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [q] = useDebouncedValue(search.trim(), TYPING_PAUSE_MS);
  const title = chosen && value !== '' ? titleOf(model, chosen) || texts.untitled : texts.linked;
  // What stands in the input of a chosen record is its name, and no search.
  const { data: found } = useSuggestions(model.name, isOpen ? (value !== '' && q === title ? '' : q) : undefined);
  const options = (found?.data ?? []).map((record) => ({
    value: record.id,
    label: titleOf(model, record) || texts.untitled,
  }));
  const hasChosen = value === '' || options.some((option) => option.value === value);
  return (
    <Select
      {...others}
      data={hasChosen ? options : [{ value, label: title }, ...options]}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      placeholder={texts.search(model.pluralLabel)}
      searchable
      // Within the page's landmarks, and within a drawer.
      comboboxProps={{ withinPortal: false }}
      clearable
      clearButtonProps={{ 'aria-label': texts.clear }}
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
