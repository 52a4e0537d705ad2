import { ApiProblem } from '@crm/api-client';
import { scopeEntry } from '@crm/contracts/rights';
import { LoadingLines, useLocale, useTexts } from '@crm/ui';
import { Anchor, Badge, Button, Divider, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Page } from '../sign-in/parts/page.js';
import { PAGE_TEXTS } from '../sign-in/parts/parts.texts.js';
import { ProblemText } from '../sign-in/parts/problem-text.js';
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
      <Anchor component="button" type="button" ta="left" onClick={onBack}>
        {back}
      </Anchor>
      <Text>{lead}</Text>
      <Text role="status">{outcome ?? '\u00a0'}</Text>
      {children}
    </Page>
  );
}

/** What a topic shows: asked for anew whenever it is opened, since what was changed in it stays in sight until then. */
export const useTopicQuery = <Value,>(name: string, queryFn: () => Promise<Value>): UseQueryResult<Value> =>
  useQuery({ queryKey: [name], queryFn, gcTime: 0 });

export interface WhenLoadedProps<Value> {
  readonly loaded: UseQueryResult<Value>;
  readonly children: (value: Value) => ReactNode;
}

/** What was loaded, or why it was not. */
export function WhenLoaded<Value>({ loaded: { data, error, refetch }, children }: WhenLoadedProps<Value>) {
  const { working, retry } = useTexts(PAGE_TEXTS);
  if (data !== undefined) return <>{children(data)}</>;
  if (!error) return <LoadingLines label={working} lines={4} />;
  return (
    <>
      <ProblemText problem={error} />
      {error instanceof ApiProblem && error.isTemporary ? (
        <Button variant="default" onClick={() => void refetch()}>
          {retry}
        </Button>
      ) : null}
    </>
  );
}

export interface EntriesProps {
  readonly none: string;
  readonly children: readonly ReactNode[];
}

export function Entries({ none, children }: EntriesProps) {
  if (children.length === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <Stack component="ul" gap="sm" p={0} m={0} className="plain">
      {children}
    </Stack>
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
      <Divider mb="sm" />
      <Group gap="xs">
        <Text fw={600} className="whole">
          {title}
        </Text>
        {note === undefined ? null : <Badge variant="light">{note}</Badge>}
      </Group>
      {children}
      <Group gap="xs" mt="xs" mih={36}>
        {gone === undefined ? acts : <Text c="dimmed">{gone}</Text>}
      </Group>
    </li>
  );
}

export function Time({ at }: { readonly at: string }) {
  const { tag, timeZone } = useLocale();
  const format = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}

export interface FactProps {
  readonly name: string;
  readonly at?: string;
  readonly children?: ReactNode;
}

/** What there is to know about an entry: a time, or something else. */
export const Fact = ({ name, at, children }: FactProps) => (
  <Text size="sm">
    <Text span c="dimmed">
      {name}:{' '}
    </Text>
    {at === undefined ? children : <Time at={at} />}
  </Text>
);

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
          <Text component="li" size="sm" key={scope} c="dimmed">
            <del>{text}</del> <VisuallyHidden>{lost.note}</VisuallyHidden>
          </Text>
        );
      })}
    </ul>
  );
}
