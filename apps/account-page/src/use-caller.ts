import { useEffect, useState } from 'react';
import { accountApi, type Caller } from './api/account-api.js';
import { useSession } from './session.js';

/** Who is signed in; undefined while that is being asked, and after a problem. */
export function useCaller(): { readonly caller: Caller | undefined; readonly problem: unknown } {
  const { token, call } = useSession();
  const [state, setState] = useState<{ caller?: Caller; problem?: unknown }>({});
  useEffect(() => {
    if (token === undefined) return;
    let isWanted = true;
    const show = (next: typeof state): void => {
      if (isWanted) setState(next);
    };
    call(accountApi.me).then(
      (caller) => show({ caller }),
      (problem: unknown) => show({ problem }),
    );
    return () => {
      isWanted = false;
    };
  }, [token, call]);
  return { caller: state.caller, problem: state.problem };
}
