import { Act, NameInput, ProblemNotice, useTexts } from '@crm/ui';
import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Passkey, useAccountApi } from './account.api.js';
import { makePasskey, makesPasskeys } from './make-passkey.js';
import { PASSKEY_TEXTS } from './passkeys.texts.js';
import { useProof } from './proof.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entries, Entry, Fact, Topic, useSay } from './topic.js';

const KEY = 'passkeys';

/** What signs in without a password: makes, renames and removes passkeys. */
export function Passkeys() {
  const texts = useTexts(PASSKEY_TEXTS);
  const callProven = useProof();
  const api = useAccountApi();
  const queries = useQueryClient();
  const say = useSay();
  const add = useMutation({
    mutationFn: async () => {
      say(undefined);
      const options = await callProven(api.newPasskeyOptions);
      if (!options) return;
      const made = await makePasskey(options.answer);
      if (typeof made !== 'string') await api.addPasskey(made);
      say(typeof made === 'string' ? texts.notMade[made] : texts.added);
      await queries.invalidateQueries({ queryKey: [KEY] });
    },
  });
  return (
    <Topic lead={texts.lead}>
      {makesPasskeys() ? (
        <Button variant="default" onClick={() => add.mutate()} loading={add.isPending}>
          {texts.add}
        </Button>
      ) : (
        <Text>{texts.notHere}</Text>
      )}
      {add.error ? <ProblemNotice problem={add.error} words={texts.problems} /> : null}
      <Entries name={KEY} load={api.passkeys} none={texts.none}>
        {(passkey) => <PasskeyEntry key={passkey.id} passkey={passkey} />}
      </Entries>
    </Topic>
  );
}

function PasskeyEntry({ passkey: { id, name, synced, createdAt, lastUsedAt } }: { readonly passkey: Passkey }) {
  const texts = useTexts(PASSKEY_TEXTS);
  const { lastUsed } = useTexts(SECURITY_TEXTS);
  const callProven = useProof();
  const api = useAccountApi();
  const queries = useQueryClient();
  const say = useSay();
  const [isGone, setGone] = useState(false);
  return (
    <Entry
      title={name}
      note={synced && texts.synced}
      gone={isGone && texts.gone}
      acts={
        <>
          <Act
            act={texts.rename}
            of={name}
            title={texts.renameTitle}
            onAct={async (values) => {
              await api.renamePasskey(id, values.name ?? '');
              say(texts.renamed);
              await queries.invalidateQueries({ queryKey: [KEY] });
            }}
          >
            <NameInput label={texts.name} maxLength={60} defaultValue={name} />
          </Act>
          <Act
            act={texts.remove}
            of={name}
            title={texts.removeTitle(name)}
            text={texts.removeText}
            onAct={async () => {
              if (!(await callProven(() => api.removePasskey(id)))) return false;
              setGone(true);
              say(texts.removed);
            }}
          />
        </>
      }
    >
      <Fact name={texts.made} at={createdAt} />
      <Fact name={lastUsed} at={lastUsedAt} />
    </Entry>
  );
}
