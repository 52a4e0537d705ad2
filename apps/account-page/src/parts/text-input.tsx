import { Field, useTexts } from '@crm/ui';
import type { InputHTMLAttributes } from 'react';
import { PAGE_TEXTS } from './parts.texts.js';

export interface TextInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly problem?: string;
}

/** A labelled line of text that a form asks for. */
export function TextInput({ label, value, onChange, hint, problem, ...input }: TextInputProps) {
  const { required } = useTexts(PAGE_TEXTS);
  return (
    <Field label={label} requiredText={required} hint={hint} problem={problem}>
      {(control) => (
        <input
          {...control}
          {...input}
          className="input"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          required
        />
      )}
    </Field>
  );
}
