import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type Grant, securityApi } from '../../../api/security-api.js';
import { Confirm } from '../../../parts/confirm.js';
import { Time } from '../../../parts/time.js';
import { useSession } from '../../../session.js';
import { useLoaded } from '../../../use-loaded.js';
import { Entry } from '../parts/entry.js';
import { ScopeWords } from '../parts/scope-words.js';
import { Topic, type TopicViewProps, WhenLoaded } from '../parts/topic.js';
import { useGone } from '../parts/use-gone.js';
import { SECURITY_TEXTS } from '../security.texts.js';
import { APP_TEXTS } from './apps.texts.js';

/** Which apps act in the name of the person: what each may do and since when; withdraws it. */
export function Apps({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(APP_TEXTS);
  const { call } = useSession();
  const loaded = useLoaded(securityApi.grants);
  const { isGone, addGone } = useGone();
  const [outcome, setOutcome] = useState<string>();
  const [asked, setAsked] = useState<Grant>();

  return (
    <Topic title={topics.apps.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      <WhenLoaded loaded={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{texts.none}</p>
          ) : (
            <ul className="entries">
              {data.map((grant) => (
                <Entry
                  key={grant.id}
                  title={grant.app.name}
                  gone={isGone(grant.id) ? texts.gone : undefined}
                  acts={
                    <Button onClick={() => setAsked(grant)} aria-label={`${texts.withdraw}: ${grant.app.name}`}>
                      {texts.withdraw}
                    </Button>
                  }
                >
                  <p>{texts.by(grant.app.publisher)}</p>
                  <ScopeWords scopes={grant.scopes} />
                  <dl className="facts">
                    <dt>{texts.since}</dt>
                    <dd>
                      <Time at={grant.createdAt} />
                    </dd>
                    <dt>{texts.lastUsed}</dt>
                    <dd>
                      <Time at={grant.lastUsedAt} />
                    </dd>
                    <dt>{texts.ends}</dt>
                    <dd>
                      <Time at={grant.expiresAt} />
                    </dd>
                  </dl>
                </Entry>
              ))}
            </ul>
          )
        }
      </WhenLoaded>
      {asked ? (
        <Confirm
          title={texts.withdrawTitle(asked.app.name)}
          text={texts.withdrawText}
          act={texts.withdraw}
          onAct={async () => {
            await call((token) => securityApi.endGrant(token, asked.id));
            addGone([asked.id]);
            setAsked(undefined);
            setOutcome(texts.withdrawn(asked.app.name));
          }}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </Topic>
  );
}
