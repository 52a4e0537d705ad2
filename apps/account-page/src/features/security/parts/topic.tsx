import { ApiProblem } from '@crm/api-client';
import { Button, Loading, useTexts } from '@crm/ui';
import type { ReactNode } from 'react';
import { Page } from '../../../parts/page.js';
import { PAGE_TEXTS } from '../../../parts/parts.texts.js';
import { ProblemText } from '../../../problems/problem-text.js';
import type { Loaded } from '../../../use-loaded.js';
import { SECURITY_TEXTS } from '../security.texts.js';

/** What every topic needs. */
export interface TopicViewProps {
  readonly onBack: () => void;
}

export interface TopicProps extends TopicViewProps {
  readonly title: string;
  readonly lead: string;
  /** What was done last; read out. */
  readonly outcome: string | undefined;
  readonly children: ReactNode;
}

/** One of the things to look after. Nothing above the list ever grows, so that nothing moves below somebody's finger. */
export function Topic({ title, lead, onBack, outcome, children }: TopicProps) {
  const { back } = useTexts(SECURITY_TEXTS);
  return (
    <Page title={title}>
      <Button look="link" onClick={onBack}>
        {back}
      </Button>
      <p>{lead}</p>
      <p role="status" className="outcome">
        {outcome}
      </p>
      {children}
    </Page>
  );
}

export interface WhenLoadedProps<Value> {
  readonly loaded: Loaded<Value>;
  readonly children: (value: Value) => ReactNode;
}

/** What was loaded, or why it was not. */
export function WhenLoaded<Value>({ loaded: { value, problem, reload }, children }: WhenLoadedProps<Value>) {
  const { working, retry } = useTexts(PAGE_TEXTS);
  if (value !== undefined) return <>{children(value)}</>;
  if (!problem) return <Loading label={working} lines={4} />;
  return (
    <>
      <ProblemText problem={problem} />
      {problem instanceof ApiProblem && problem.isTemporary ? <Button onClick={reload}>{retry}</Button> : null}
    </>
  );
}
