import { LoadingLines, Page, ProblemNotice, useTexts, type Words } from '@crm/ui';
import { Anchor, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useSession } from '../../session/session-context.js';
import { takeReturn } from './return-path.js';
import { signInApi } from './sign-in.api.js';
import { SignIn } from './sign-in.js';
import { usePageAddress } from './sign-in.layout.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** The end of a sign-in at an identity provider, and the way back to what it was for. */
export default function ReturnFromProvider() {
  const texts = useTexts(SIGN_IN_TEXTS);
  // A step-up at the provider, which another page has begun in this window.
  if (usePageAddress().proof !== 'noted') return <Exchange />;
  return (
    <Page title={texts.proven}>
      <Text>{texts.provenText}</Text>
    </Page>
  );
}

function Exchange() {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { code, error, reason } = usePageAddress();
  const session = useSession();
  const router = useRouter();
  const words: Words = { ...texts.problems, ...texts.failures, INVALID_CREDENTIALS: texts.noReturnText };
  const exchange = useMutation({
    /** @returns what the sign-in still needs */
    mutationFn: async (presented: string) => {
      const answer = await signInApi.exchangeCode(presented);
      if (answer.accessToken === undefined) return answer;
      await session.begin({ ...answer, accessToken: answer.accessToken });
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
          <ProblemNotice problem={exchange.error} words={words} />
        ) : (
          <Text>{words[reason ?? error ?? ''] ?? texts.noReturnText}</Text>
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
