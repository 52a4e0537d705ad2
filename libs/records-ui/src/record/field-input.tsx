import { type ControlProps, useTexts } from '@crm/ui';
import type { HTMLInputTypeAttribute } from 'react';
import type { FieldModel, FieldType } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import type { DraftValue } from './draft.js';
import { ReferencePicker } from './reference-picker.js';

export interface FieldInputProps {
  readonly field: FieldModel;
  readonly control: ControlProps;
  readonly value: DraftValue;
  readonly onChange: (value: DraftValue) => void;
}

const INPUT_TYPES: Readonly<Partial<Record<FieldType, HTMLInputTypeAttribute>>> = {
  date: 'date',
  datetime: 'datetime-local',
  email: 'email',
  phone: 'tel',
  url: 'url',
};
const NUMBERS: readonly FieldType[] = ['number', 'currency', 'percent'];

/** The input for a field of its type. The API validates; the form only helps with typing. */
export function FieldInput({ field, control, value, onChange }: FieldInputProps) {
  switch (field.type) {
    case 'textarea':
      return (
        <textarea
          className="input"
          {...control}
          value={String(value)}
          maxLength={field.maxLength}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'checkbox':
      return (
        <input
          className="tick"
          type="checkbox"
          {...control}
          // A tick that is not set is a value too.
          required={false}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case 'picklist':
      return <OptionInput field={field} control={control} value={value} onChange={onChange} />;
    case 'multi_select':
      return (
        <select
          className="input several"
          multiple
          {...control}
          value={value as readonly string[]}
          onChange={(event) => onChange([...event.target.selectedOptions].map((option) => option.value))}
        >
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      );
    case 'reference':
      return field.target ? (
        <ReferencePicker control={control} target={field.target} value={String(value)} onChange={onChange} />
      ) : null;
    default:
      return (
        <input
          className="input"
          type={INPUT_TYPES[field.type] ?? 'text'}
          inputMode={NUMBERS.includes(field.type) ? 'decimal' : undefined}
          {...control}
          value={String(value)}
          maxLength={field.maxLength}
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

function OptionInput({ field, control, value, onChange }: FieldInputProps) {
  const texts = useTexts(TEXTS);
  return (
    <select className="input" {...control} value={String(value)} onChange={(event) => onChange(event.target.value)}>
      {field.required && value !== '' ? null : <option value="">{texts.none}</option>}
      {field.options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
