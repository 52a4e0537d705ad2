import { scopeEntry } from '@crm/contracts/rights';
import { Loaded, PAGE_TEXTS, Page, useLocale, useTexts } from '@crm/ui';
import { Anchor, Badge, Divider, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { SECURITY_TEXTS, type TopicName } from './security.texts.js';

export interface TopicState {
  readonly name: TopicName;
  /** What was done last. */
  readonly outcome: string | undefined;
  readonly say: (outcome: string | undefined) => void;
  readonly onBack: () => void;
}

const none = () => undefined;
export const TopicContext = createContext<TopicState>({
  name: 'sessions',
  outcome: undefined,
  say: none,
  onBack: none,
});

/** Says in the topic what was done. */
export const useSay = () => useContext(TopicContext).say;

export interface TopicProps {
  /** That of the topic, when it is left out. */
  readonly title?: string;
  readonly lead: string;
  readonly children?: ReactNode;
}

/** One of the things to look after. Nothing above the list ever grows, so that nothing moves below someone's finger. */
export function Topic({ title, lead, children }: TopicProps) {
  const { back, topics } = useTexts(SECURITY_TEXTS);
  const { name, outcome, onBack } = useContext(TopicContext);
  return (
    <Page title={title ?? topics[name].title}>
      <Anchor component="button" type="button" ta="left" onClick={onBack}>
        {back}
      </Anchor>
      <Text>{lead}</Text>
      <Text role="status">{outcome ?? '\u00a0'}</Text>
      {children}
    </Page>
  );
}

export interface EntriesProps<One> {
  /** The parameter of the query. */
  readonly name: string;
  readonly load: () => Promise<{ readonly data: readonly One[] }>;
  readonly none?: string;
  readonly children: (one: One) => ReactNode;
}

/** The list of a topic: asked for anew whenever it is opened, since what was changed in it stays in sight until then. */
export function Entries<One>({ name, load, none, children }: EntriesProps<One>) {
  const { working } = useTexts(PAGE_TEXTS);
  const query = useQuery({ queryKey: [name], queryFn: load, gcTime: 0 });
  return (
    <Loaded query={query} label={working} lines={4}>
      {({ data }) =>
        data.length === 0 ? (
          <Text c="dimmed">{none}</Text>
        ) : (
          <Stack component="ul" gap="sm" p={0} m={0} className="plain">
            {data.map(children)}
          </Stack>
        )
      }
    </Loaded>
  );
}

export interface EntryProps {
  readonly title: string;
  readonly note?: string | false;
  /** What has become of it. It stays where it is until the list is opened again, so that nothing moves. */
  readonly gone?: string | false;
  readonly acts?: ReactNode;
  readonly children: ReactNode;
}

/** One of a list, with what can be done about it. */
export function Entry({ title, note, gone, acts, children }: EntryProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // The button that had the focus has gone with what it was for.
    if (gone) item.current?.focus();
  }, [gone]);
  return (
    <li ref={item} tabIndex={-1} className="entry">
      <Divider mb="sm" />
      <Group gap="xs">
        <Text fw={600} className="whole">
          {title}
        </Text>
        {note ? <Badge variant="light">{note}</Badge> : null}
      </Group>
      {children}
      <Group gap="xs" mt="xs" mih={36}>
        {gone ? <Text c="dimmed">{gone}</Text> : acts}
      </Group>
    </li>
  );
}

function Time({ at }: { readonly at: string }) {
  const { tag, timeZone } = useLocale();
  const format = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}

export interface FactProps {
  readonly name: string;
  /** Null for what has not been yet. */
  readonly at?: string | null;
  readonly children?: ReactNode;
}

/** What there is to know about an entry: a time, something else, or both. */
export function Fact({ name, at, children }: FactProps) {
  const { never } = useTexts(SECURITY_TEXTS);
  return (
    <Text size="sm">
      <Text span c="dimmed">
        {name}:{' '}
      </Text>
      {at ? <Time at={at} /> : at === null ? never : null}
      {children}
    </Text>
  );
}

export interface ScopeWordsProps {
  readonly scopes: readonly string[];
  /** Those that were taken away since. They stay in the list, so that nothing moves. */
  readonly lost?: readonly string[];
}

/** What may be done, in the words in which it was asked for. */
export function ScopeWords({ scopes, lost }: ScopeWordsProps) {
  const { language } = useLocale();
  const { lost: note } = useTexts(SECURITY_TEXTS);
  return (
    <ul className="words">
      {scopes.map((scope) => {
        const text = scopeEntry(scope)?.[scope.endsWith(':read') ? 'reads' : 'writes'][language] ?? scope;
        if (!lost?.includes(scope)) return <li key={scope}>{text}</li>;
        return (
          <Text component="li" size="sm" key={scope} c="dimmed">
            <del>{text}</del> <VisuallyHidden>{note}</VisuallyHidden>
          </Text>
        );
      })}
    </ul>
  );
}
