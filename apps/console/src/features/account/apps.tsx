import { useTexts } from '@crm/ui';
import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm, Question } from '../sign-in/parts/confirm.js';
import { PAGE_TEXTS } from '../sign-in/parts/parts.texts.js';
import { ProblemText } from '../sign-in/parts/problem-text.js';
import type { Grant } from './account.api.js';
import { APP_TEXTS } from './apps.texts.js';
import { givenOf, ScopeChoice } from './scope-choice.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entries, Entry, Fact, ScopeWords, Topic, type TopicViewProps, useTopicQuery, WhenLoaded } from './topic.js';
import { useAccountApi } from './use-account-api.js';
import { useGone } from './use-gone.js';

export interface NarrowProps {
  readonly grant: Grant;
  /** @param narrowed what the app may still do */
  readonly onNarrowed: (narrowed: Grant) => void;
  readonly onClose: () => void;
}

/** Whether there is something that an app can lose and still work. */
export const canLose = ({ scopes, requiredScopes }: Grant): boolean =>
  scopes.length > 1 && scopes.some((scope) => !requiredScopes.includes(scope));

/** Asks what an app keeps of what it may do. */
export function Narrow({ grant, onNarrowed, onClose }: NarrowProps) {
  const texts = useTexts(APP_TEXTS);
  const { cancel } = useTexts(PAGE_TEXTS);
  const api = useAccountApi();
  const [withheld, setWithheld] = useState<ReadonlySet<string>>(new Set());
  const [isNothing, setIsNothing] = useState(false);
  const scopes = grant.scopes.map((name) => ({
    name,
    description: name,
    writes: !name.endsWith(':read'),
    required: grant.requiredScopes.includes(name),
  }));
  const action = useMutation({
    mutationFn: async () => {
      const kept = givenOf(scopes, withheld);
      const changesNothing = kept.length === 0 || kept.length === scopes.length;
      setIsNothing(changesNothing);
      if (!changesNothing) onNarrowed(await api.narrowGrant(grant.id, kept));
    },
  });
  return (
    <Question title={texts.changeTitle(grant.app.name)} onClose={onClose}>
      <Text>{texts.changeText}</Text>
      <ScopeChoice scopes={scopes} withheld={withheld} onChange={setWithheld} />
      {isNothing ? (
        <Alert role="alert" color="red" variant="light" py="xs">
          {texts.nothingLeft}
        </Alert>
      ) : null}
      {action.error ? <ProblemText problem={action.error} words={texts.problems} /> : null}
      <Group justify="end">
        <Button variant="default" onClick={onClose}>
          {cancel}
        </Button>
        <Button onClick={() => action.mutate()} loading={action.isPending}>
          {texts.changeNow}
        </Button>
      </Group>
    </Question>
  );
}

export interface AppEntryProps {
  readonly grant: Grant;
  /** The same after something was taken away since the list was opened. */
  readonly narrowed: Grant | undefined;
  readonly isGone: boolean;
  readonly onNarrow: () => void;
  readonly onWithdraw: () => void;
}

export function AppEntry({ grant, narrowed = grant, isGone, onNarrow, onWithdraw }: AppEntryProps) {
  const texts = useTexts(APP_TEXTS);
  const { app, scopes, createdAt, lastUsedAt, expiresAt } = grant;
  const lost = scopes.filter((scope) => !narrowed.scopes.includes(scope));
  const isLeast = !canLose(narrowed);
  return (
    <Entry
      title={app.name}
      gone={isGone ? texts.gone : undefined}
      acts={
        <>
          {canLose(grant) ? (
            // It may have the focus: it stays when there is nothing more to lose.
            <Button
              variant="default"
              onClick={isLeast ? undefined : onNarrow}
              aria-disabled={isLeast}
              data-disabled={isLeast || undefined}
              aria-label={`${texts.change}: ${app.name}`}
            >
              {texts.change}
            </Button>
          ) : null}
          <Button variant="default" onClick={onWithdraw} aria-label={`${texts.withdraw}: ${app.name}`}>
            {texts.withdraw}
          </Button>
        </>
      }
    >
      <Text>{texts.by(app.publisher)}</Text>
      <ScopeWords scopes={scopes} lost={{ scopes: lost, note: texts.lost }} />
      <Fact name={texts.since} at={createdAt} />
      <Fact name={texts.lastUsed} at={lastUsedAt} />
      <Fact name={texts.ends} at={expiresAt} />
    </Entry>
  );
}

interface Asked {
  readonly about: 'narrowing' | 'withdrawal';
  readonly grant: Grant;
}

/** Which apps act in the name of the person: what each may do and since when; takes some of it or all of it away. */
export function Apps({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(APP_TEXTS);
  const api = useAccountApi();
  const loaded = useTopicQuery('grants', api.grants);
  const { isGone, addGone } = useGone();
  const [narrowed, setNarrowed] = useState<ReadonlyMap<string, Grant>>(new Map());
  const [outcome, setOutcome] = useState<string>();
  const [asked, setAsked] = useState<Asked>();
  const done = (text: string): void => {
    setAsked(undefined);
    setOutcome(text);
  };

  return (
    <Topic title={topics.apps.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      <WhenLoaded loaded={loaded}>
        {({ data }) => (
          <Entries none={texts.none}>
            {data.map((grant) => (
              <AppEntry
                key={grant.id}
                grant={grant}
                narrowed={narrowed.get(grant.id)}
                isGone={isGone(grant.id)}
                onNarrow={() => setAsked({ about: 'narrowing', grant: narrowed.get(grant.id) ?? grant })}
                onWithdraw={() => setAsked({ about: 'withdrawal', grant })}
              />
            ))}
          </Entries>
        )}
      </WhenLoaded>
      {asked?.about === 'narrowing' ? (
        <Narrow
          grant={asked.grant}
          onNarrowed={(grant) => {
            setNarrowed((before) => new Map([...before, [grant.id, grant]]));
            done(texts.changed(grant.app.name));
          }}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
      {asked?.about === 'withdrawal' ? (
        <Confirm
          title={texts.withdrawTitle(asked.grant.app.name)}
          text={texts.withdrawText}
          act={texts.withdraw}
          onAct={async () => {
            const { id, app } = asked.grant;
            await api.endGrant(id);
            addGone([id]);
            done(texts.withdrawn(app.name));
          }}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </Topic>
  );
}
