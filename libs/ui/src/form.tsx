import { ApiProblem } from '@crm/api-client';
import { Button, Group, Stack, TextInput, type TextInputProps } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';
import { useTexts } from './locale.js';
import { PAGE_TEXTS } from './page.texts.js';
import { ProblemNotice, type Words } from './problem-notice.js';

/** What was typed in and chosen, by the names of the fields. */
export type Values = Readonly<Record<string, string>>;

/** Spaces around a name and within a code are no part of it; those of a password are. */
export function valuesOf(form: HTMLFormElement): Values {
  const cleaned = ([name, value]: [string, unknown]) => {
    const text = String(value);
    if (name === 'code') return [name, text.replaceAll(' ', '')];
    return [name, name.toLowerCase().endsWith('password') ? text : text.trim()];
  };
  return Object.fromEntries([...new FormData(form)].map(cleaned));
}

const FormProblem = createContext<unknown>(undefined);

/** Why the form around was refused last, for a field that says it itself. */
export const useFormProblem = (): unknown => useContext(FormProblem);

/** Where the bodies of the API have a new password. */
const POINTERS = ['/password', '/newPassword'];

/** @returns the code of what is wrong with a new password, if that is why something was refused */
export const passwordProblem = (problem: unknown): string | undefined =>
  problem instanceof ApiProblem ? problem.fields.find(({ pointer }) => POINTERS.includes(pointer))?.code : undefined;

export interface FormProps {
  /** A mutation that takes {@link Values}, or nothing. */
  readonly action: {
    readonly mutate: (values: never) => void;
    readonly variables: unknown;
    readonly error: unknown;
    readonly isPending: boolean;
  };
  readonly submit: string;
  readonly words?: Words;
  /** Leads out of it. */
  readonly onCancel?: () => void;
  readonly children?: ReactNode;
}

/** Fields, what went wrong, and the buttons. The browser keeps what is typed, and says what is missing before anything is sent. */
export function Form({ action, submit, words, onCancel, children }: FormProps) {
  const { mutate, error, isPending } = action;
  const { cancel } = useTexts(PAGE_TEXTS);
  // The field for a new password says itself what is wrong with it.
  const { newPassword } = (action.variables ?? {}) as Values;
  const isShown = newPassword !== undefined && passwordProblem(error) !== undefined;
  const button = (
    <Button type="submit" loading={isPending}>
      {submit}
    </Button>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // A question can be asked from within another form.
        event.stopPropagation();
        if (!isPending) mutate(valuesOf(event.currentTarget) as never);
      }}
    >
      <Stack gap="sm">
        <FormProblem value={error}>{children}</FormProblem>
        {error && !isShown ? <ProblemNotice problem={error} words={words} /> : null}
        {onCancel ? (
          <Group justify="end">
            {/* First, so that anyone who presses a key too often has changed nothing. */}
            <Button variant="default" onClick={onCancel}>
              {cancel}
            </Button>
            {button}
          </Group>
        ) : (
          button
        )}
      </Stack>
    </form>
  );
}

/** Every field is needed, so that no field says it. */
export const REQUIRED = { required: true, withAsterisk: false } as const;

export const EmailInput = (props: TextInputProps) => (
  <TextInput {...REQUIRED} name="email" type="email" autoComplete="username" maxLength={254} {...props} />
);

export const NameInput = (props: TextInputProps & { readonly label: string }) => (
  <TextInput {...REQUIRED} name="name" pattern=".*\S.*" title={props.label} autoComplete="off" {...props} />
);
