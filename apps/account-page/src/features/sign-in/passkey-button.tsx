import { ApiProblem } from '@crm/api-client';
import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { accountApi, type SignInAnswer } from '../../api/account-api.js';
import { ProblemText } from '../../problems/problem-text.js';
import { useAction } from '../../use-action.js';
import { askForPasskey, knowsPasskeys } from './passkey.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

export interface PasskeyButtonProps {
  readonly onAnswer: (answer: SignInAnswer) => void;
  /** Whether there is nothing above it to choose instead. */
  readonly isOnlyWay?: boolean;
}

/** The last thing of the sign-in, so that nothing moves when it goes. It goes where passkeys are not in use. */
export function PasskeyButton({ onAnswer, isOnlyWay = false }: PasskeyButtonProps) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const [note, setNote] = useState<string>();
  const [isOffered, setIsOffered] = useState(knowsPasskeys);
  const action = useAction(async () => {
    setNote(undefined);
    const options = await accountApi.passkeyOptions().catch((problem: unknown) => {
      if (!isMissing(problem)) throw problem;
      return undefined;
    });
    if (!options) {
      setIsOffered(false);
      setNote(texts.noPasskeys);
      return;
    }
    const answer = await askForPasskey(options);
    if (answer) onAnswer(await accountApi.signInWithPasskey(answer));
    else setNote(texts.noPasskeyUsed);
  });

  return (
    <div className="stack">
      {isOffered ? (
        <>
          {isOnlyWay ? null : <p className="or">{texts.or}</p>}
          <Button onClick={action.run} disabled={action.isBusy} aria-busy={action.isBusy}>
            {texts.passkey}
          </Button>
        </>
      ) : null}
      {action.problem ? <ProblemText problem={action.problem} words={texts.passkeyProblems} /> : null}
      {note ? <p role="status">{note}</p> : null}
    </div>
  );
}

/** Whether the API knows no such call. */
export const isMissing = (problem: unknown): boolean => problem instanceof ApiProblem && problem.status === 404;
