import { useCallback, useEffect, useState } from 'react';
import { useSession } from './session.js';

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
