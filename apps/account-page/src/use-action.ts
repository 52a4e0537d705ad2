import { ApiProblem } from '@crm/api-client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSession } from './session.js';

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

export interface Loaded<Value> {
  /** Undefined until it is there; the previous one while it is loaded again. */
  readonly value: Value | undefined;
  readonly problem: unknown;
  readonly reload: () => void;
}

/** What a call of the signed-in person answers. @param load has to be the same function each time */
export function useLoaded<Value>(load: (token: string) => Promise<Value>): Loaded<Value> {
  const { call } = useSession();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{ value?: Value; problem?: unknown }>({});
  useEffect(() => {
    let isWanted = true;
    const show = (next: typeof state): void => {
      if (isWanted) setState(next);
    };
    call(load).then(
      (value) => show({ value }),
      (problem: unknown) => show({ problem }),
    );
    return () => {
      isWanted = false;
    };
  }, [call, load, attempt]);
  const reload = useCallback(() => setAttempt((previous) => previous + 1), []);
  return { value: state.value, problem: state.problem, reload };
}
