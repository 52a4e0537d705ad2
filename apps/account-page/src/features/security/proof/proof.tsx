import { ApiProblem } from '@crm/api-client';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { useSession } from '../../../session.js';
import { ProofDialog } from './proof-dialog.js';

/** Of a call that needs a recent proof; undefined when the person did not give one. */
type Proven<Answer> = { readonly answer: Answer } | undefined;

type CallProven = <Answer>(make: (token: string) => Promise<Answer>) => Promise<Proven<Answer>>;

const ProofContext = createContext<CallProven | undefined>(undefined);

/** Makes a call, and asks for a proof where the API wants a newer one. */
export function useProof(): CallProven {
  const callProven = useContext(ProofContext);
  if (!callProven) throw new Error('There is no ProofProvider around this component');
  return callProven;
}

/** Asks the person to prove again who they are, whenever a call below needs it, and makes the call again. */
export function ProofProvider({ children }: { readonly children: ReactNode }) {
  const { call } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  const asked = useRef<{ readonly answer: Promise<boolean>; readonly give: (isProven: boolean) => void }>(undefined);
  const answer = useCallback((isProven: boolean): void => {
    setIsAsking(false);
    asked.current?.give(isProven);
    asked.current = undefined;
  }, []);
  // Two calls that are refused at once wait for one answer.
  const ask = useCallback((): Promise<boolean> => {
    if (!asked.current) {
      let give: (isProven: boolean) => void = () => undefined;
      const given = new Promise<boolean>((resolve) => {
        give = resolve;
      });
      asked.current = { answer: given, give };
      setIsAsking(true);
    }
    return asked.current.answer;
  }, []);
  const callProven = useCallback<CallProven>(
    async (make) => {
      const options = { isProofAskedFor: true };
      try {
        return { answer: await call(make, options) };
      } catch (problem) {
        if (!(problem instanceof ApiProblem && problem.code === 'STEP_UP_REQUIRED')) throw problem;
      }
      return (await ask()) ? { answer: await call(make, options) } : undefined;
    },
    [call, ask],
  );
  return (
    <ProofContext value={callProven}>
      {children}
      {isAsking ? <ProofDialog onAnswer={answer} /> : null}
    </ProofContext>
  );
}
