import { Loading, useTexts } from '@crm/ui';
import { useEffect, useRef, useState } from 'react';
import { accountApi, type CodeWanted, type EnrolmentWanted } from '../api/account-api.js';
import { Page } from '../parts/page.js';
import { ProblemText } from '../parts/problem-text.js';
import type { Place } from '../place.js';
import { takeReturn } from '../return-place.js';
import { useSession } from '../session.js';
import { SignIn } from './sign-in.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

export interface ReturnFromProviderProps {
  readonly code: string | undefined;
  /** Why there is no code: the reason or the code of a refusal. */
  readonly failure: string | undefined;
  readonly goTo: (place: Place) => void;
}

/** The end of a sign-in at an identity provider, and the way back to what it was for. */
export function ReturnFromProvider({ code, failure, goTo }: ReturnFromProviderProps) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { token, begin } = useSession();
  const [answer, setAnswer] = useState<CodeWanted | EnrolmentWanted>();
  const [problem, setProblem] = useState<unknown>();
  const isExchanged = useRef(false);

  useEffect(() => {
    // The code works once, and effects may run twice.
    if (code === undefined || isExchanged.current) return;
    isExchanged.current = true;
    accountApi.exchangeCode(code).then((next) => ('accessToken' in next ? begin(next) : setAnswer(next)), setProblem);
  }, [code, begin]);
  useEffect(() => {
    if (token === undefined) return;
    const request = takeReturn(window);
    const path = request === undefined ? '/account' : '/account/authorize';
    history.replaceState(null, '', request === undefined ? path : `${path}?request=${request}`);
    goTo({ path, request });
  }, [token, goTo]);

  if (answer) return <SignIn answer={answer} />;
  if (code === undefined || problem) {
    return (
      <Page title={texts.noReturn}>
        {problem ? (
          <ProblemText problem={problem} words={{ ...texts.failures, INVALID_CREDENTIALS: texts.noReturnText }} />
        ) : (
          <p>{texts.failures[failure ?? ''] ?? texts.noReturnText}</p>
        )}
        <p>
          <a href="/account/sign-in">{texts.again}</a>
        </p>
      </Page>
    );
  }
  return (
    <Page title={texts.returning}>
      <Loading label={texts.returning} lines={3} />
    </Page>
  );
}
