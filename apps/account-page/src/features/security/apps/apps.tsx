import { useTexts } from '@crm/ui';
import { useState } from 'react';
import { type Grant, securityApi } from '../../../api/security-api.js';
import { Confirm } from '../../../parts/confirm.js';
import { useSession } from '../../../session.js';
import { useLoaded } from '../../../use-loaded.js';
import { Topic, type TopicViewProps, WhenLoaded } from '../parts/topic.js';
import { useGone } from '../parts/use-gone.js';
import { SECURITY_TEXTS } from '../security.texts.js';
import { AppEntry } from './app-entry.js';
import { APP_TEXTS } from './apps.texts.js';
import { Narrow } from './narrow.js';

/** What is asked about an app before it is done. */
interface Asked {
  readonly about: 'narrowing' | 'withdrawal';
  readonly grant: Grant;
}

/** Which apps act in the name of the person: what each may do and since when; takes some of it or all of it away. */
export function Apps({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(APP_TEXTS);
  const { call } = useSession();
  const loaded = useLoaded(securityApi.grants);
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
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{texts.none}</p>
          ) : (
            <ul className="entries">
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
            </ul>
          )
        }
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
            await call((token) => securityApi.endGrant(token, id));
            addGone([id]);
            done(texts.withdrawn(app.name));
          }}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </Topic>
  );
}
