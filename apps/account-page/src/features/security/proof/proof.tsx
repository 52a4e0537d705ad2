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
  const answered = useRef<(isProven: boolean) => void>(undefined);
  const answer = useCallback((isProven: boolean): void => {
    setIsAsking(false);
    answered.current?.(isProven);
  }, []);
  const callProven = useCallback<CallProven>(
    async (make) => {
      const options = { isProofAskedFor: true };
      try {
        return { answer: await call(make, options) };
      } catch (problem) {
        if (!(problem instanceof ApiProblem && problem.code === 'STEP_UP_REQUIRED')) throw problem;
      }
      const isProven = await new Promise<boolean>((resolve) => {
        answered.current = resolve;
        setIsAsking(true);
      });
      return isProven ? { answer: await call(make, options) } : undefined;
    },
    [call],
  );
  return (
    <ProofContext value={callProven}>
      {children}
      {isAsking ? <ProofDialog onAnswer={answer} /> : null}
    </ProofContext>
  );
}
