import { Button, Field, useTexts } from '@crm/ui';
import type { InputHTMLAttributes, ReactNode } from 'react';
import type { Action } from '../use-action.js';
import { PAGE_TEXTS } from './parts.texts.js';
import { ProblemText, type Words } from './problem-text.js';

export interface FormProps {
  readonly action: Action<[]>;
  readonly submit: string;
  /** What codes of problems mean here. */
  readonly words?: Words;
  /** Shown beside a field already, so that it is not said twice. */
  readonly isProblemShown?: boolean;
  readonly children?: ReactNode;
}

/** Fields, what went wrong, and the button. The browser says what is missing before anything is sent. */
export function Form({ action, submit, words, isProblemShown = false, children }: FormProps) {
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        action.run();
      }}
    >
      {children}
      {action.problem && !isProblemShown ? <ProblemText problem={action.problem} words={words} /> : null}
      <Button look="primary" type="submit" disabled={action.isBusy} aria-busy={action.isBusy}>
        {submit}
      </Button>
    </form>
  );
}

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
