import { Field, useTexts } from '@crm/ui';
import { PAGE_TEXTS } from './parts.texts.js';

export interface SelectInputProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
  readonly hint?: string;
}

/** A labelled choice of a few. */
export function SelectInput<Value extends string>({ label, value, options, onChange, hint }: SelectInputProps<Value>) {
  const { required } = useTexts(PAGE_TEXTS);
  return (
    <Field label={label} requiredText={required} hint={hint}>
      {(control) => (
        <select
          {...control}
          className="input"
          value={value}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
