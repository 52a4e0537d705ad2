import { scopeEntry } from '@crm/contracts/rights';
import { Act, Copy, Form, NameInput, Page, useLocale, useTexts, type Values } from '@crm/ui';
import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { useCaller } from '../shell/shell.queries.js';
import { type ApiKey, useAccountApi } from './account.api.js';
import { API_KEY_TEXTS } from './api-keys.texts.js';
import { type Reach, reachChoices, scopesOf } from './key-scopes.js';
import { useProof } from './proof.js';
import { nothingChosen } from './scope-choice.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entries, Entry, Fact, ScopeWords, Topic, useSay } from './topic.js';

/** Days that a key lives; the first is the default of the API. */
const LIVES = ['90', '7', '30', '365'] as const;

interface NewKeyFormProps {
  /** @param key the whole of it, which is shown once */
  readonly onMade: (key: string) => void;
  readonly onCancel: () => void;
}

/** What a key is for, what it reaches, and when it ends. */
function NewKeyForm({ onMade, onCancel }: NewKeyFormProps) {
  const texts = useTexts(API_KEY_TEXTS);
  const { reads: read, writes: write } = useTexts(SECURITY_TEXTS);
  const labels = { none: texts.nothing, read, write };
  const { language } = useLocale();
  const callProven = useProof();
  const api = useAccountApi();
  const { data: caller } = useCaller(useApiClient());
  const choices = reachChoices(caller?.roles ?? []);
  const action = useMutation({
    mutationFn: async ({ name = '', days, ...chosen }: Values) => {
      const scopes = scopesOf(chosen as Readonly<Record<string, Reach>>, choices);
      if (scopes.length === 0) throw nothingChosen();
      const made = await callProven(() => api.makeApiKey({ name, scopes, expiresInDays: Number(days) }));
      if (made) onMade(made.answer.key);
    },
  });
  return (
    <Page title={texts.make}>
      <Form action={action} submit={texts.makeNow} words={texts.problems} onCancel={onCancel}>
        <NameInput label={texts.name} description={texts.nameHint} maxLength={100} />
        <NativeSelect
          name="days"
          label={texts.life}
          data={LIVES.map((value) => ({ value, label: texts.days(value) }))}
        />
        <Stack component="fieldset" gap="xs">
          <legend>{texts.scopes}</legend>
          {choices.map(({ name, reaches }) => (
            <NativeSelect
              key={name}
              name={name}
              label={scopeEntry(name)?.label[language] ?? name}
              data={reaches.map((value) => ({ value, label: labels[value] }))}
            />
          ))}
        </Stack>
      </Form>
    </Page>
  );
}

/** The keys with which programs call in the name of the person: the list, the form for another one, or one that was just made. */
export function ApiKeys() {
  const texts = useTexts(API_KEY_TEXTS);
  const api = useAccountApi();
  const say = useSay();
  const [step, setStep] = useState<'list' | 'form' | { readonly key: string }>('list');
  if (step === 'form') return <NewKeyForm onMade={(key) => setStep({ key })} onCancel={() => setStep('list')} />;
  if (step !== 'list') {
    const keep = (): void => {
      say(texts.made);
      setStep('list');
    };
    return (
      <Page title={texts.keepTitle}>
        <Text>{texts.keepText}</Text>
        <code className="whole">{step.key}</code>
        <Copy text={step.key} />
        <Button onClick={keep}>{texts.kept}</Button>
      </Page>
    );
  }
  return (
    <Topic lead={texts.lead}>
      <Button variant="default" onClick={() => setStep('form')}>
        {texts.make}
      </Button>
      <Entries name="api-keys" load={api.apiKeys} none={texts.none}>
        {(key) => <KeyEntry key={key.id} apiKey={key} />}
      </Entries>
    </Topic>
  );
}

function KeyEntry({ apiKey }: { readonly apiKey: ApiKey }) {
  const texts = useTexts(API_KEY_TEXTS);
  const { gone, lastUsed } = useTexts(SECURITY_TEXTS);
  const api = useAccountApi();
  const say = useSay();
  const [isGone, setGone] = useState(false);
  const { id, name, prefix, scopes, createdAt, expiresAt, lastUsedAt, lastAddress } = apiKey;
  const hasExpired = Date.parse(expiresAt) <= Date.now();
  const withdraw = async (): Promise<void> => {
    await api.endApiKey(id);
    setGone(true);
    say(texts.withdrawn);
  };
  return (
    <Entry
      title={name}
      note={hasExpired && texts.expired}
      gone={isGone && gone}
      acts={
        <Act
          act={texts.withdraw}
          of={name}
          title={texts.withdrawTitle(name)}
          text={texts.withdrawText}
          onAct={withdraw}
        />
      }
    >
      <code>{prefix}…</code>
      <ScopeWords scopes={scopes} />
      <Fact name={texts.made} at={createdAt} />
      <Fact name={hasExpired ? texts.expired : texts.expires} at={expiresAt} />
      <Fact name={lastUsed} at={lastUsedAt}>
        {lastAddress === null ? null : ` (${lastAddress})`}
      </Fact>
    </Entry>
  );
}
