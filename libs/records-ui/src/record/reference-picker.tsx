import type { ObjectName } from '@crm/api-client';
import { Button, type ControlProps, useTexts } from '@crm/ui';
import { type KeyboardEvent, useId, useState } from 'react';
import { useRecord, useSuggestions } from '../data/record.queries.js';
import { useRecords } from '../data/records-context.js';
import { useSettled } from '../list/use-settled.js';
import { type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { ReferenceName } from '../values/format-value.js';

const TYPING_PAUSE_MS = 200;

export interface ReferencePickerProps {
  readonly control: ControlProps;
  readonly target: ObjectName;
  /** Id of the chosen record; empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** Chooses a record by searching for it. Of an object that the caller cannot read, the reference stays as it is. */
export function ReferencePicker(props: ReferencePickerProps) {
  const model = useRecords().objects.find(({ name }) => name === props.target);
  if (!model) {
    return (
      <p id={props.control.id} className="unset">
        <ReferenceName target={props.target} id={props.value} />
      </p>
    );
  }
  return props.value === '' ? <Search {...props} model={model} /> : <Chosen {...props} model={model} />;
}

type WithModel = ReferencePickerProps & { readonly model: ObjectModel };

function Chosen({ control, model, value, onChange }: WithModel) {
  const texts = useTexts(TEXTS);
  const { data } = useRecord(model.name, value);
  return (
    <div className="chosen">
      <input className="input" {...control} readOnly value={(data && titleOf(model, data)) || texts.linked} />
      <Button onClick={() => onChange('')}>{texts.clear}</Button>
    </div>
  );
}

/** A combobox with a list (ARIA Authoring Practices 1.2). */
function Search({ control, model, onChange }: WithModel) {
  const texts = useTexts(TEXTS);
  const listId = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const q = useSettled(text.trim(), TYPING_PAUSE_MS);
  const { data } = useSuggestions(model.name, isOpen ? q : undefined);
  const options = data?.data ?? [];
  const optionId = (index: number): string => `${listId}-${index}`;

  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = options[active];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((index) => (options.length === 0 ? 0 : (index + step + options.length) % options.length));
    } else if (event.key === 'Enter' && isOpen && chosen) {
      event.preventDefault();
      onChange(chosen.id);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
    }
  };

  return (
    <div className="picker">
      <input
        className="input"
        {...control}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && options[active] ? optionId(active) : undefined}
        autoComplete="off"
        placeholder={texts.search(model.pluralLabel)}
        value={text}
        maxLength={200}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div id={listId} className="picker-list" role="listbox" aria-label={model.pluralLabel} hidden={!isOpen}>
        {options.map((record, index) => (
          // The keyboard stays in the input, whose aria-activedescendant names the option.
          <div
            key={record.id}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className="picker-option"
            // The input must not lose the focus before the choice is made.
            onPointerDown={(event) => {
              event.preventDefault();
              onChange(record.id);
            }}
          >
            {titleOf(model, record) || texts.untitled}
          </div>
        ))}
        {data && options.length === 0 ? (
          <div role="option" aria-selected="false" aria-disabled="true" tabIndex={-1} className="picker-option">
            {texts.noMatch}
          </div>
        ) : null}
      </div>
    </div>
  );
}
