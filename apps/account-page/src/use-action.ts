import { ApiProblem } from '@crm/api-client';
import { useCallback, useRef, useState } from 'react';

export interface Action<Arguments extends readonly unknown[]> {
  readonly isBusy: boolean;
  /** Why it did not succeed the last time. */
  readonly problem: unknown;
  run(...given: Arguments): void;
}

/** Something that a form or a button does: once at a time, with its problem kept for the page to show. */
export function useAction<Arguments extends readonly unknown[]>(
  act: (...given: Arguments) => Promise<void>,
): Action<Arguments> {
  const [state, setState] = useState<{ isBusy: boolean; problem?: unknown }>({ isBusy: false });
  const latest = useRef(act);
  latest.current = act;
  const busy = useRef(false);
  const run = useCallback((...given: Arguments): void => {
    // A second click comes before the button is drawn as disabled.
    if (busy.current) return;
    busy.current = true;
    setState({ isBusy: true });
    latest
      .current(...given)
      .then(
        () => setState({ isBusy: false }),
        (problem: unknown) => {
          setState({ isBusy: false, problem });
          if (!(problem instanceof ApiProblem)) reportError(problem);
        },
      )
      .finally(() => {
        busy.current = false;
      });
  }, []);
  return { ...state, problem: state.problem, run };
}
