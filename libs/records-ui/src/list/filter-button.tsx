import { useTexts } from '@crm/ui';
import { Button, NativeSelect, Popover, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type DraftValue, viewOf } from '../objects/field-types.js';
import type { ObjectModel } from '../objects/object-model.js';
import { FieldInput } from '../record/field-input.js';
import { TEXTS } from '../texts.js';
import type { ListState } from './list-state.js';

export interface FilterButtonProps {
  readonly model: ObjectModel;
  readonly state: ListState;
  readonly onState: (state: ListState) => void;
}

/** Chooses a field and the value that is wanted of it. Open from the beginning: a click has asked for it. */
export default function FilterButton({ model, state, onState }: FilterButtonProps) {
  const texts = useTexts(TEXTS);
  const [isOpen, setOpen] = useState(true);
  const fields = model.fields.filter(({ filterable }) => filterable);
  const [name, setName] = useState(state.field ?? fields[0]?.apiName);
  const field = fields.find(({ apiName }) => apiName === name);
  const [value, setValue] = useState<DraftValue>(state.value ?? '');
  if (!field) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const text = String(value);
    const { fromInput = String } = viewOf(field.shownAs);
    if (text.trim() !== '') onState({ ...state, field: field.apiName, value: String(fromInput(text)) });
    setOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus position="bottom-start" shadow="md" width={260}>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!isOpen)}>
          {texts.filter}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <NativeSelect
              label={texts.filterField}
              value={name}
              data={fields.map(({ apiName, label }) => ({ value: apiName, label }))}
              onChange={({ currentTarget: { value: next } }) => {
                setName(next);
                setValue('');
              }}
            />
            <FieldInput
              // Of a formula the type of its result, which can be typed as one of a field.
              field={{ ...field, type: field.shownAs, label: texts.filterValue, required: false }}
              value={value}
              onChange={setValue}
            />
            <Button type="submit">{texts.apply}</Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
