import { scopeEntry } from '@crm/contracts/rights';
import { useLocale, useTexts } from '@crm/ui';
import { Alert, Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { useCaller } from '../shell/shell.queries.js';
import { Confirm } from '../sign-in/parts/confirm.js';
import { Copy } from '../sign-in/parts/copy.js';
import { Form, REQUIRED } from '../sign-in/parts/form.js';
import { Page } from '../sign-in/parts/page.js';
import { PAGE_TEXTS } from '../sign-in/parts/parts.texts.js';
import type { ApiKey } from './account.api.js';
import { API_KEY_TEXTS } from './api-keys.texts.js';
import { type Reach, reachChoices, scopesOf } from './key-scopes.js';
import { useProof } from './proof.js';
import { SECURITY_TEXTS } from './security.texts.js';
import {
  Entries,
  Entry,
  Fact,
  ScopeWords,
  Time,
  Topic,
  type TopicViewProps,
  useTopicQuery,
  WhenLoaded,
} from './topic.js';
import { useAccountApi } from './use-account-api.js';
import { useGone } from './use-gone.js';

/** Days that a key lives; the first is the default of the API. */
const LIVES = ['90', '7', '30', '365'] as const;

export interface NewKeyFormProps {
  /** @param key the whole of it, which is shown once */
  readonly onMade: (key: string) => void;
  readonly onCancel: () => void;
}

/** What a key is for, what it reaches, and when it ends. */
export function NewKeyForm({ onMade, onCancel }: NewKeyFormProps) {
  const texts = useTexts(API_KEY_TEXTS);
  const { language } = useLocale();
  const { cancel } = useTexts(PAGE_TEXTS);
  const callProven = useProof();
  const api = useAccountApi();
  const { data: caller } = useCaller(useApiClient());
  const [name, setName] = useInputState('');
  const [days, setDays] = useInputState<string>(LIVES[0]);
  const [chosen, setChosen] = useState<Readonly<Record<string, Reach>>>({});
  const [isNothing, setIsNothing] = useState(false);
  const choices = reachChoices(caller?.roles ?? []);
  const action = useMutation({
    mutationFn: async () => {
      const scopes = scopesOf(chosen, choices);
      setIsNothing(scopes.length === 0);
      if (scopes.length === 0) return;
      const key = { name: name.trim(), scopes, expiresInDays: Number(days) };
      const made = await callProven(() => api.makeApiKey(key));
      if (made) onMade(made.answer.key);
    },
  });
  return (
    <Page title={texts.make}>
      <Form action={action} submit={texts.makeNow} words={texts.problems}>
        <TextInput
          {...REQUIRED}
          label={texts.name}
          description={texts.nameHint}
          pattern=".*\S.*"
          title={texts.name}
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={setName}
        />
        <NativeSelect
          label={texts.life}
          value={days}
          data={LIVES.map((value) => ({ value, label: texts.days(value) }))}
          onChange={setDays}
        />
        <Stack component="fieldset" gap="xs" aria-describedby={isNothing ? 'nothing-chosen' : undefined}>
          <legend>{texts.scopes}</legend>
          {choices.map(({ name: scope, reaches }) => (
            <NativeSelect
              key={scope}
              label={scopeEntry(scope)?.label[language] ?? scope}
              value={chosen[scope] ?? 'none'}
              data={reaches.map((value) => ({ value, label: texts.reaches[value] }))}
              onChange={({ currentTarget: { value } }) =>
                setChosen((before) => ({ ...before, [scope]: value as Reach }))
              }
            />
          ))}
        </Stack>
        {isNothing ? (
          <Alert role="alert" color="red" variant="light" py="xs" id="nothing-chosen">
            {texts.nothingChosen}
          </Alert>
        ) : null}
      </Form>
      <Button variant="default" onClick={onCancel}>
        {cancel}
      </Button>
    </Page>
  );
}

interface NewKeyProps {
  readonly value: string;
  readonly onKept: () => void;
}

function NewKey({ value, onKept }: NewKeyProps) {
  const texts = useTexts(API_KEY_TEXTS);
  return (
    <Page title={texts.keepTitle}>
      <Text>{texts.keepText}</Text>
      <code className="whole">{value}</code>
      <Copy text={value} />
      <Button onClick={onKept}>{texts.kept}</Button>
    </Page>
  );
}

/** The list, the form for another key, or a key that was just made. */
type Step = 'list' | 'form' | { readonly key: string };

/** The keys with which programs call in the name of the person. */
export function ApiKeys({ onBack }: TopicViewProps) {
  const texts = useTexts(API_KEY_TEXTS);
  const [step, setStep] = useState<Step>('list');
  const [outcome, setOutcome] = useState<string>();
  if (step === 'form') {
    return <NewKeyForm onMade={(key) => setStep({ key })} onCancel={() => setStep('list')} />;
  }
  if (step !== 'list') {
    const keep = (): void => {
      setOutcome(texts.made);
      setStep('list');
    };
    return <NewKey value={step.key} onKept={keep} />;
  }
  return <KeyList outcome={outcome} onOutcome={setOutcome} onMake={() => setStep('form')} onBack={onBack} />;
}

interface KeyListProps extends TopicViewProps {
  readonly outcome: string | undefined;
  readonly onOutcome: (outcome: string) => void;
  readonly onMake: () => void;
}

function KeyList({ outcome, onOutcome, onMake, onBack }: KeyListProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(API_KEY_TEXTS);
  const api = useAccountApi();
  const loaded = useTopicQuery('api-keys', api.apiKeys);
  const { isGone, addGone } = useGone();
  const [asked, setAsked] = useState<ApiKey>();
  return (
    <Topic title={topics.apiKeys.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      <Button variant="default" onClick={onMake}>
        {texts.make}
      </Button>
      <WhenLoaded loaded={loaded}>
        {({ data }) => (
          <Entries none={texts.none}>
            {data.map((key) => (
              <KeyEntry key={key.id} apiKey={key} isGone={isGone(key.id)} onWithdraw={() => setAsked(key)} />
            ))}
          </Entries>
        )}
      </WhenLoaded>
      {asked ? (
        <Confirm
          title={texts.withdrawTitle(asked.name)}
          text={texts.withdrawText}
          act={texts.withdraw}
          onAct={async () => {
            await api.endApiKey(asked.id);
            addGone([asked.id]);
            setAsked(undefined);
            onOutcome(texts.withdrawn);
          }}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </Topic>
  );
}

interface KeyEntryProps {
  readonly apiKey: ApiKey;
  readonly isGone: boolean;
  readonly onWithdraw: () => void;
}

function KeyEntry({ apiKey, isGone, onWithdraw }: KeyEntryProps) {
  const texts = useTexts(API_KEY_TEXTS);
  const { name, prefix, scopes, createdAt, expiresAt, lastUsedAt, lastAddress } = apiKey;
  const hasExpired = Date.parse(expiresAt) <= Date.now();
  return (
    <Entry
      title={name}
      note={hasExpired ? texts.expired : undefined}
      gone={isGone ? texts.gone : undefined}
      acts={
        <Button variant="default" onClick={onWithdraw} aria-label={`${texts.withdraw}: ${name}`}>
          {texts.withdraw}
        </Button>
      }
    >
      <code>{prefix}…</code>
      <ScopeWords scopes={scopes} />
      <Fact name={texts.made} at={createdAt} />
      <Fact name={hasExpired ? texts.expired : texts.expires} at={expiresAt} />
      <Fact name={texts.lastUsed}>
        {lastUsedAt === null ? texts.never : <Time at={lastUsedAt} />}
        {lastAddress === null ? null : ` (${lastAddress})`}
      </Fact>
    </Entry>
  );
}
