import { LoadingLines, useTexts } from '@crm/ui';
import { Anchor, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useSession } from '../../session/session-context.js';
import { Page } from './parts/page.js';
import { ProblemText } from './parts/problem-text.js';
import { usePlace } from './place-context.js';
import { takeReturn } from './return-place.js';
import { signInApi } from './sign-in.api.js';
import { SignIn } from './sign-in.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** The end of a step-up at an identity provider, which another page has begun in this window. */
function ProofNoted() {
  const texts = useTexts(SIGN_IN_TEXTS);
  return (
    <Page title={texts.proven}>
      <Text>{texts.provenText}</Text>
    </Page>
  );
}

/** The end of a sign-in at an identity provider, and the way back to what it was for. */
export default function ReturnFromProvider() {
  const { proof } = usePlace();
  return proof === 'noted' ? <ProofNoted /> : <Exchange />;
}

function Exchange() {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { code, error, reason } = usePlace();
  const session = useSession();
  const router = useRouter();
  const exchange = useMutation({
    /** @returns what the sign-in still needs */
    mutationFn: async (presented: string) => {
      const answer = await signInApi.exchangeCode(presented);
      if (!('accessToken' in answer)) return answer;
      await session.begin(answer);
      return undefined;
    },
  });
  const { mutate } = exchange;
  const isExchanged = useRef(false);
  useEffect(() => {
    // The code works once, and effects may run twice.
    if (code === undefined || isExchanged.current) return;
    isExchanged.current = true;
    mutate(code);
  }, [code, mutate]);
  const isSignedIn = session.state === 'active' && exchange.status !== 'idle';
  useEffect(() => {
    if (isSignedIn) router.history.replace(takeReturn(window) ?? '/');
  }, [isSignedIn, router]);

  if (exchange.data) return <SignIn answer={exchange.data} />;
  if (code === undefined || exchange.error) {
    return (
      <Page title={texts.noReturn}>
        {exchange.error ? (
          <ProblemText
            problem={exchange.error}
            words={{ ...texts.failures, INVALID_CREDENTIALS: texts.noReturnText }}
          />
        ) : (
          <Text>{texts.failures[reason ?? error ?? ''] ?? texts.noReturnText}</Text>
        )}
        <Anchor href="/account/sign-in">{texts.again}</Anchor>
      </Page>
    );
  }
  return (
    <Page title={texts.returning}>
      <LoadingLines label={texts.returning} lines={3} />
    </Page>
  );
}
