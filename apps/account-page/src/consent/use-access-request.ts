import { useCallback, useEffect, useState } from 'react';
import { type AccessRequest, accountApi } from '../api/account-api.js';
import { useSession } from '../session.js';

interface LoadedRequest {
  readonly asked: AccessRequest | undefined;
  readonly problem: unknown;
  readonly retry: () => void;
}

/** What an app asks for; neither it nor a problem while that is being loaded. */
export function useAccessRequest(id: string): LoadedRequest {
  const { call } = useSession();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{ attempt: number; asked?: AccessRequest; problem?: unknown }>({ attempt });
  useEffect(() => {
    let isWanted = true;
    const show = (next: Omit<typeof state, 'attempt'>): void => {
      if (isWanted) setState({ attempt, ...next });
    };
    call((token) => accountApi.accessRequest(token, id)).then(
      (asked) => show({ asked }),
      (problem: unknown) => show({ problem }),
    );
    return () => {
      isWanted = false;
    };
  }, [id, attempt, call]);
  const retry = useCallback(() => setAttempt((previous) => previous + 1), []);
  const current = state.attempt === attempt ? state : undefined;
  return { asked: current?.asked, problem: current?.problem, retry };
}
