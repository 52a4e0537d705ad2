import { LoadingLines, PAGE_TEXTS, Page, ProblemNotice, useTexts } from '@crm/ui';
import type { ReactNode } from 'react';
import { useStartedSession } from '../../session/session-context.js';
import { SignedIn } from '../../session/signed-in.js';
import { SignIn } from '../sign-in/sign-in.js';
import { ProofProvider } from './proof.js';

export interface WithSessionProps {
  /** What the sign-in is for. */
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}

/** What needs someone who is signed in, in a place of its own: anyone who is not signs in there first. */
export function WithSession({ title, lead, children }: WithSessionProps) {
  const { working } = useTexts(PAGE_TEXTS);
  const session = useStartedSession();
  const { state, holder, problem } = session;
  if (state === 'active') {
    return (
      <SignedIn key={holder}>
        <ProofProvider>{children}</ProofProvider>
      </SignedIn>
    );
  }
  if (state === 'none' || state === 'ended') return <SignIn title={title} lead={lead} />;
  return (
    <Page title={title}>
      {problem ? (
        <ProblemNotice problem={problem} onRetry={() => session.start()} />
      ) : (
        <LoadingLines label={working} lines={4} />
      )}
    </Page>
  );
}
