import { Button } from '@crm/ui';
import type { ReactNode } from 'react';
import type { Words } from '../problems/problem-text.js';
import { ProblemText } from '../problems/problem-text.js';
import type { Action } from '../use-action.js';

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
