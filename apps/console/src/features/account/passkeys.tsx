import { useTexts } from '@crm/ui';
import { Button, Text, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm, Question } from '../sign-in/parts/confirm.js';
import { Form, REQUIRED } from '../sign-in/parts/form.js';
import { PAGE_TEXTS } from '../sign-in/parts/parts.texts.js';
import { ProblemText } from '../sign-in/parts/problem-text.js';
import type { Passkey } from './account.api.js';
import { makePasskey, makesPasskeys } from './make-passkey.js';
import { PASSKEY_TEXTS } from './passkeys.texts.js';
import { useProof } from './proof.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entries, Entry, Fact, Time, Topic, type TopicViewProps, useTopicQuery, WhenLoaded } from './topic.js';
import { useAccountApi } from './use-account-api.js';
import { useGone } from './use-gone.js';

interface RenameProps {
  readonly passkey: Passkey;
  readonly onRenamed: () => void;
  readonly onClose: () => void;
}

/** Another name for a passkey, which only its owner sees. */
function Rename({ passkey: { id, name: before }, onRenamed, onClose }: RenameProps) {
  const texts = useTexts(PASSKEY_TEXTS);
  const { cancel } = useTexts(PAGE_TEXTS);
  const api = useAccountApi();
  const [name, setName] = useInputState(before);
  const action = useMutation({ mutationFn: () => api.renamePasskey(id, name.trim()), onSuccess: onRenamed });
  return (
    <Question title={texts.renameTitle} onClose={onClose}>
      <Form action={action} submit={texts.rename}>
        <TextInput
          {...REQUIRED}
          label={texts.name}
          pattern=".*\S.*"
          title={texts.name}
          autoComplete="off"
          maxLength={60}
          value={name}
          onChange={setName}
        />
      </Form>
      <Button variant="default" onClick={onClose}>
        {cancel}
      </Button>
    </Question>
  );
}

/** What signs in without a password: makes, renames and removes passkeys. */
export function Passkeys({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(PASSKEY_TEXTS);
  const callProven = useProof();
  const api = useAccountApi();
  const loaded = useTopicQuery('passkeys', api.passkeys);
  const { isGone, addGone } = useGone();
  const [outcome, setOutcome] = useState<string>();
  const [asking, setAsking] = useState<{ readonly what: 'rename' | 'remove'; readonly passkey: Passkey }>();
  const close = (): void => setAsking(undefined);
  const done = (text: string): void => {
    close();
    setOutcome(text);
  };
  const add = useMutation({
    mutationFn: async () => {
      setOutcome(undefined);
      const options = await callProven(api.newPasskeyOptions);
      if (!options) return;
      const made = await makePasskey(options.answer);
      if (typeof made === 'string') {
        setOutcome(texts.notMade[made]);
        return;
      }
      await api.addPasskey(made);
      setOutcome(texts.added);
      void loaded.refetch();
    },
  });

  return (
    <Topic title={topics.passkeys.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      {makesPasskeys() ? (
        <Button variant="default" onClick={() => add.mutate()} loading={add.isPending}>
          {texts.add}
        </Button>
      ) : (
        <Text>{texts.notHere}</Text>
      )}
      {add.error ? <ProblemText problem={add.error} words={texts.problems} /> : null}
      <WhenLoaded loaded={loaded}>
        {({ data }) => (
          <Entries none={texts.none}>
            {data.map((passkey) => (
              <PasskeyEntry
                key={passkey.id}
                passkey={passkey}
                isGone={isGone(passkey.id)}
                onAsk={(what) => setAsking({ what, passkey })}
              />
            ))}
          </Entries>
        )}
      </WhenLoaded>
      {asking?.what === 'rename' ? (
        <Rename
          passkey={asking.passkey}
          onRenamed={() => {
            done(texts.renamed);
            void loaded.refetch();
          }}
          onClose={close}
        />
      ) : null}
      {asking?.what === 'remove' ? (
        <Confirm
          title={texts.removeTitle(asking.passkey.name)}
          text={texts.removeText}
          act={texts.remove}
          onAct={async () => {
            const { id } = asking.passkey;
            if (!(await callProven(() => api.removePasskey(id)))) return;
            addGone([id]);
            done(texts.removed);
          }}
          onClose={close}
        />
      ) : null}
    </Topic>
  );
}

interface PasskeyEntryProps {
  readonly passkey: Passkey;
  readonly isGone: boolean;
  readonly onAsk: (what: 'rename' | 'remove') => void;
}

function PasskeyEntry({ passkey: { name, synced, createdAt, lastUsedAt }, isGone, onAsk }: PasskeyEntryProps) {
  const texts = useTexts(PASSKEY_TEXTS);
  return (
    <Entry
      title={name}
      note={synced ? texts.synced : undefined}
      gone={isGone ? texts.gone : undefined}
      acts={
        <>
          <Button variant="default" onClick={() => onAsk('rename')} aria-label={`${texts.rename}: ${name}`}>
            {texts.rename}
          </Button>
          <Button variant="default" onClick={() => onAsk('remove')} aria-label={`${texts.remove}: ${name}`}>
            {texts.remove}
          </Button>
        </>
      }
    >
      <Fact name={texts.made} at={createdAt} />
      <Fact name={texts.lastUsed}>{lastUsedAt === null ? texts.never : <Time at={lastUsedAt} />}</Fact>
    </Entry>
  );
}
