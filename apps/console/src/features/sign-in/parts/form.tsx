import { Button, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemText, type Words } from './problem-text.js';

export interface FormProps {
  readonly action: Pick<UseMutationResult<unknown, unknown, void>, 'mutate' | 'error' | 'isPending'>;
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
      onSubmit={(event) => {
        event.preventDefault();
        if (!action.isPending) action.mutate();
      }}
    >
      <Stack gap="sm">
        {children}
        {action.error && !isProblemShown ? <ProblemText problem={action.error} words={words} /> : null}
        <Button type="submit" loading={action.isPending}>
          {submit}
        </Button>
      </Stack>
    </form>
  );
}

/** Of every field here: all that is asked for is needed, so that no field says it. */
export const REQUIRED = { required: true, withAsterisk: false } as const;
