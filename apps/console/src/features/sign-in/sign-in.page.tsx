import { LoadingLines, PAGE_TEXTS, Page, useTexts } from '@crm/ui';
import { useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useStartedSession } from '../../session/session-context.js';
import { nextOf } from './return-path.js';
import { SignIn } from './sign-in.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** The sign-in by itself: it leads to what it was for, or to the start. Anyone who has to prove who they are signs in anew. */
export default function SignInPage() {
  const { title } = useTexts(SIGN_IN_TEXTS);
  const { working } = useTexts(PAGE_TEXTS);
  const session = useStartedSession();
  const router = useRouter();
  const [isFresh] = useState(() => new URLSearchParams(location.search).has('fresh'));
  const goOn = useCallback(() => router.history.replace(nextOf(location) ?? '/'), [router]);
  const isIn = session.state === 'active' && !isFresh;
  useEffect(() => {
    if (isIn) goOn();
  }, [isIn, goOn]);
  // What keeps the session from being known, the attempt to sign in says too.
  if (session.state !== 'starting' && !isIn) return <SignIn onDone={goOn} />;
  return (
    <Page title={title}>
      <LoadingLines label={working} lines={6} />
    </Page>
  );
}
