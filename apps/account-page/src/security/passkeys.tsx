import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type Passkey, securityApi } from '../api/security-api.js';
import { Confirm, Dialog } from '../parts/dialog.js';
import { Form, TextInput } from '../parts/form.js';
import { PAGE_TEXTS } from '../parts/parts.texts.js';
import { ProblemText } from '../parts/problem-text.js';
import { Time } from '../parts/time.js';
import { useLoaded, useSession } from '../session.js';
import { useAction } from '../use-action.js';
import { makePasskey, makesPasskeys } from './make-passkey.js';
import { PASSKEY_TEXTS } from './passkeys.texts.js';
import { useProof } from './proof.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entry, Fact, Topic, type TopicViewProps, WhenLoaded } from './topic.js';
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
  const { call } = useSession();
  const [name, setName] = useState(before);
  const action = useAction(async () => {
    await call((token) => securityApi.renamePasskey(token, id, name.trim()));
    onRenamed();
  });
  return (
    <Dialog title={texts.renameTitle} onClose={onClose}>
      <Form action={action} submit={texts.rename}>
        <TextInput
          label={texts.name}
          pattern=".*\S.*"
          title={texts.name}
          autoComplete="off"
          maxLength={60}
          value={name}
          onChange={setName}
        />
      </Form>
      <Button onClick={onClose}>{cancel}</Button>
    </Dialog>
  );
}

/** What signs in without a password: makes, renames and removes passkeys. */
export function Passkeys({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(PASSKEY_TEXTS);
  const callProven = useProof();
  const { call } = useSession();
  const loaded = useLoaded(securityApi.passkeys);
  const { isGone, addGone } = useGone();
  const [outcome, setOutcome] = useState<string>();
  const [asking, setAsking] = useState<{ readonly what: 'rename' | 'remove'; readonly passkey: Passkey }>();
  const close = (): void => setAsking(undefined);
  const done = (text: string): void => {
    close();
    setOutcome(text);
  };
  const add = useAction(async () => {
    setOutcome(undefined);
    const options = await callProven(securityApi.newPasskeyOptions);
    if (!options) return;
    const made = await makePasskey(options.answer);
    if (typeof made === 'string') {
      setOutcome(texts.notMade[made]);
      return;
    }
    await call((token) => securityApi.addPasskey(token, made));
    setOutcome(texts.added);
    loaded.reload();
  });

  return (
    <Topic title={topics.passkeys.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      {makesPasskeys() ? (
        <Button onClick={add.run} aria-busy={add.isBusy}>
          {texts.add}
        </Button>
      ) : (
        <p>{texts.notHere}</p>
      )}
      {add.problem ? <ProblemText problem={add.problem} words={texts.problems} /> : null}
      <WhenLoaded loaded={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{texts.none}</p>
          ) : (
            <ul className="entries">
              {data.map((passkey) => (
                <PasskeyEntry
                  key={passkey.id}
                  passkey={passkey}
                  isGone={isGone(passkey.id)}
                  onAsk={(what) => setAsking({ what, passkey })}
                />
              ))}
            </ul>
          )
        }
      </WhenLoaded>
      {asking?.what === 'rename' ? (
        <Rename
          passkey={asking.passkey}
          onRenamed={() => {
            done(texts.renamed);
            loaded.reload();
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
            if (!(await callProven((token) => securityApi.removePasskey(token, id)))) return;
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
          <Button onClick={() => onAsk('rename')} aria-label={`${texts.rename}: ${name}`}>
            {texts.rename}
          </Button>
          <Button onClick={() => onAsk('remove')} aria-label={`${texts.remove}: ${name}`}>
            {texts.remove}
          </Button>
        </>
      }
    >
      <dl className="facts">
        <Fact name={texts.made} at={createdAt} />
        <Fact name={texts.lastUsed}>{lastUsedAt === null ? texts.never : <Time at={lastUsedAt} />}</Fact>
      </dl>
    </Entry>
  );
}
