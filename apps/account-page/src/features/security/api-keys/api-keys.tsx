import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type ApiKey, securityApi } from '../../../api/security-api.js';
import { Confirm } from '../../../parts/confirm.js';
import { Time } from '../../../parts/time.js';
import { useSession } from '../../../session.js';
import { useLoaded } from '../../../use-loaded.js';
import { Entry } from '../parts/entry.js';
import { ScopeWords } from '../parts/scope-words.js';
import { Topic, type TopicViewProps, WhenLoaded } from '../parts/topic.js';
import { useGone } from '../parts/use-gone.js';
import { SECURITY_TEXTS } from '../security.texts.js';
import { API_KEY_TEXTS } from './api-keys.texts.js';
import { NewKey } from './new-key.js';
import { NewKeyForm } from './new-key-form.js';

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
  const { call } = useSession();
  const loaded = useLoaded(securityApi.apiKeys);
  const { isGone, addGone } = useGone();
  const [asked, setAsked] = useState<ApiKey>();
  return (
    <Topic title={topics.apiKeys.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      <Button onClick={onMake}>{texts.make}</Button>
      <WhenLoaded loaded={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{texts.none}</p>
          ) : (
            <ul className="entries">
              {data.map((key) => (
                <KeyEntry key={key.id} apiKey={key} isGone={isGone(key.id)} onWithdraw={() => setAsked(key)} />
              ))}
            </ul>
          )
        }
      </WhenLoaded>
      {asked ? (
        <Confirm
          title={texts.withdrawTitle(asked.name)}
          text={texts.withdrawText}
          act={texts.withdraw}
          onAct={async () => {
            await call((token) => securityApi.endApiKey(token, asked.id));
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
        <Button onClick={onWithdraw} aria-label={`${texts.withdraw}: ${name}`}>
          {texts.withdraw}
        </Button>
      }
    >
      <p>
        <code>{prefix}…</code>
      </p>
      <ScopeWords scopes={scopes} />
      <dl className="facts">
        <dt>{texts.made}</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>{hasExpired ? texts.expired : texts.expires}</dt>
        <dd>
          <Time at={expiresAt} />
        </dd>
        <dt>{texts.lastUsed}</dt>
        <dd>
          {lastUsedAt === null ? texts.never : <Time at={lastUsedAt} />}
          {lastAddress === null ? null : ` (${lastAddress})`}
        </dd>
      </dl>
    </Entry>
  );
}
