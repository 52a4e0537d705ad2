import { ApiProblem } from '@crm/api-client';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { accountApi, type Caller, type Tokens } from './api/account-api.js';

interface CallOptions {
  readonly isProofAskedFor?: boolean;
}

interface SessionHolder {
  readonly token: string | undefined;
  /** Whether a session has ended by itself. */
  readonly hasEnded: boolean;
  /** Whether it has because it had no recent proof: an identity provider has to ask who somebody is, not say that it knows. */
  readonly needsProof: boolean;
  begin(tokens: Tokens): void;
  /** Ends the session, at the API too. */
  end(): void;
  /**
   * Makes a call of the user. A token that is refused leads back to the sign-in, and so does one whose proof is too old,
   * unless whoever calls asks for another proof.
   */
  call<Answer>(make: (token: string) => Promise<Answer>, options?: CallOptions): Promise<Answer>;
}

const SessionContext = createContext<SessionHolder | undefined>(undefined);

export function useSession(): SessionHolder {
  const holder = useContext(SessionContext);
  if (!holder) throw new Error('There is no SessionProvider around this component');
  return holder;
}

/**
 * Keeps the access token, in this variable and nowhere else. Nobody could continue the session after the page is left, so it
 * is ended then, instead of staying in the user's list of sessions for two weeks.
 */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [token, setToken] = useState<string>();
  const [hasEnded, setHasEnded] = useState(false);
  const [needsProof, setNeedsProof] = useState(false);
  const current = useRef<string>(undefined);

  const set = useCallback((next: string | undefined, ended: boolean) => {
    current.current = next;
    setToken(next);
    setHasEnded(ended);
  }, []);
  const end = useCallback(() => {
    const ending = current.current;
    if (ending === undefined) return;
    set(undefined, false);
    accountApi.signOut(ending).catch((problem: unknown) => {
      // Refused or without an answer, nothing is lost: nobody holds the refresh token, and the access token lives some minutes.
      if (!(problem instanceof ApiProblem)) reportError(problem);
    });
  }, [set]);
  const call = useCallback(
    async <Answer,>(make: (token: string) => Promise<Answer>, options: CallOptions = {}): Promise<Answer> => {
      const used = current.current;
      if (used === undefined) throw new Error('Nobody is signed in');
      try {
        return await make(used);
      } catch (problem) {
        if (wantsSignIn(problem, options) && current.current === used) {
          end();
          set(undefined, true);
          setNeedsProof(wantsProof(problem));
        }
        throw problem;
      }
    },
    [set, end],
  );
  useEffect(() => {
    addEventListener('pagehide', end);
    return () => removeEventListener('pagehide', end);
  }, [end]);

  const holder = useMemo(
    () => ({ token, hasEnded, needsProof, begin: ({ accessToken }: Tokens) => set(accessToken, false), end, call }),
    [token, hasEnded, needsProof, set, end, call],
  );
  return <SessionContext value={holder}>{children}</SessionContext>;
}

const wantsProof = (problem: unknown): boolean => problem instanceof ApiProblem && problem.code === 'STEP_UP_REQUIRED';

/** Whether a call needs a new sign-in: the session has ended, or the password was typed in too long ago. */
function wantsSignIn(problem: unknown, { isProofAskedFor = false }: CallOptions): boolean {
  if (!(problem instanceof ApiProblem)) return false;
  if (wantsProof(problem)) return !isProofAskedFor;
  // A password or a code that was typed in within the session can be wrong, and the session goes on.
  return problem.status === 401 && problem.code !== 'INVALID_CREDENTIALS';
}

export interface Loaded<Value> {
  /** Undefined until it is there; the previous one while it is loaded again. */
  readonly value: Value | undefined;
  readonly problem: unknown;
  /** Whether value or problem is of the latest attempt. */
  readonly isCurrent: boolean;
  readonly reload: () => void;
}

/** What a call of the signed-in person answers. @param load has to be the same function each time */
export function useLoaded<Value>(load: (token: string) => Promise<Value>): Loaded<Value> {
  const { token, call } = useSession();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{ value?: Value; problem?: unknown; attempt: number }>({ attempt });
  useEffect(() => {
    if (token === undefined) return;
    let isWanted = true;
    const show = (next: Omit<typeof state, 'attempt'>): void => {
      if (isWanted) setState({ ...next, attempt });
    };
    call(load).then(
      (value) => show({ value }),
      (problem: unknown) => show({ problem }),
    );
    return () => {
      isWanted = false;
    };
  }, [token, call, load, attempt]);
  const reload = useCallback(() => setAttempt((previous) => previous + 1), []);
  return { value: state.value, problem: state.problem, isCurrent: state.attempt === attempt, reload };
}

/** Who is signed in; undefined while that is being asked, and after a problem. */
export function useCaller(): { readonly caller: Caller | undefined; readonly problem: unknown } {
  const { value: caller, problem } = useLoaded(accountApi.me);
  return { caller, problem };
}
