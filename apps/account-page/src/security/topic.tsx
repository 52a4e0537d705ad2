import { ApiProblem } from '@crm/api-client';
import { scopeEntry } from '@crm/contracts/rights';
import { Button, Loading, useLocale, useTexts } from '@crm/ui';
import { type ReactNode, useEffect, useRef } from 'react';
import { Page } from '../parts/page.js';
import { PAGE_TEXTS } from '../parts/parts.texts.js';
import { ProblemText } from '../parts/problem-text.js';
import { Time } from '../parts/time.js';
import type { Loaded } from '../session.js';
import { SECURITY_TEXTS } from './security.texts.js';

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

export interface EntryProps {
  readonly title: string;
  readonly note?: string | undefined;
  /** What has become of it. It stays where it is until the list is opened again, so that nothing moves. */
  readonly gone?: string | undefined;
  readonly acts?: ReactNode;
  readonly children: ReactNode;
}

/** One of a list, with what can be done about it. */
export function Entry({ title, note, gone, acts, children }: EntryProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // The button that had the focus has gone with what it was for.
    if (gone !== undefined) item.current?.focus();
  }, [gone]);
  return (
    <li ref={item} tabIndex={-1} className="entry">
      <p>
        <strong>{title}</strong>
        {note === undefined ? null : <span className="note">{note}</span>}
      </p>
      {children}
      <div className="acts">{gone === undefined ? acts : <span className="muted">{gone}</span>}</div>
    </li>
  );
}

/** What there is to know about an entry, in a `dl`: a time, or something else. */
export function Fact({
  name,
  at,
  children,
}: {
  readonly name: string;
  readonly at?: string;
  readonly children?: ReactNode;
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{at === undefined ? children : <Time at={at} />}</dd>
    </>
  );
}

export interface ScopeWordsProps {
  readonly scopes: readonly string[];
  /** What has become of those that are not there any more. They stay in the list, so that nothing moves. */
  readonly lost?: { readonly scopes: readonly string[]; readonly note: string };
}

/** What may be done, in the words in which it was asked for. */
export function ScopeWords({ scopes, lost }: ScopeWordsProps) {
  const { language } = useLocale();
  return (
    <ul className="words">
      {scopes.map((scope) => {
        const text = scopeEntry(scope)?.[scope.endsWith(':read') ? 'reads' : 'writes'][language] ?? scope;
        if (!lost?.scopes.includes(scope)) return <li key={scope}>{text}</li>;
        return (
          <li key={scope} className="muted">
            <del>{text}</del> <span className="visually-hidden">{lost.note}</span>
          </li>
        );
      })}
    </ul>
  );
}
