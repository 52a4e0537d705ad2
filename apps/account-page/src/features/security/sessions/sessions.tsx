import { Button, plural, useLocale, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type Session, securityApi } from '../../../api/security-api.js';
import { Confirm } from '../../../parts/confirm.js';
import { Time } from '../../../parts/time.js';
import { ProblemText } from '../../../problems/problem-text.js';
import { useSession } from '../../../session.js';
import { useAction } from '../../../use-action.js';
import { useLoaded } from '../../../use-loaded.js';
import { Entry } from '../parts/entry.js';
import { Topic, type TopicViewProps, WhenLoaded } from '../parts/topic.js';
import { useGone } from '../parts/use-gone.js';
import { SECURITY_TEXTS } from '../security.texts.js';
import { endOthers, endSession } from './end-sessions.js';
import { SESSION_TEXTS } from './sessions.texts.js';

/** Where the person is signed in; ends one session, or all but this one. */
export function Sessions({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(SESSION_TEXTS);
  const { tag } = useLocale();
  const { call } = useSession();
  const loaded = useLoaded(securityApi.sessions);
  const { isGone, addGone } = useGone();
  const [outcome, setOutcome] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  // In a hurry there is no time for a question: who ends the wrong one signs in again there.
  const end = useAction(async (id: string) => {
    await call((token) => endSession(securityApi, token, id));
    addGone([id]);
    setOutcome(texts.ended);
  });
  const endAll = async (): Promise<void> => {
    const ids = await call((token) => endOthers(securityApi, token));
    addGone(ids);
    setOutcome(plural(tag, ids.length, texts.othersEnded));
    setIsAsking(false);
  };

  return (
    <Topic title={topics.sessions.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      {end.problem ? <ProblemText problem={end.problem} /> : null}
      <WhenLoaded loaded={loaded}>
        {({ data }) => (
          <>
            <Button onClick={() => setIsAsking(true)}>{texts.endOthers}</Button>
            <ul className="entries">
              {data.map((session) => (
                <Entry
                  key={session.id}
                  title={session.device ?? texts.unknownDevice}
                  note={session.current ? texts.current : undefined}
                  gone={isGone(session.id) ? texts.gone : undefined}
                  acts={
                    session.current ? undefined : (
                      <Button
                        onClick={() => end.run(session.id)}
                        aria-label={`${texts.end}: ${session.device ?? texts.unknownDevice}`}
                        aria-describedby={`session-${session.id}`}
                      >
                        {texts.end}
                      </Button>
                    )
                  }
                >
                  <Whereabouts session={session} />
                </Entry>
              ))}
            </ul>
          </>
        )}
      </WhenLoaded>
      {isAsking ? (
        <Confirm
          title={texts.endOthersTitle}
          text={texts.endOthersText}
          act={texts.endOthers}
          onAct={endAll}
          onClose={() => setIsAsking(false)}
        />
      ) : null}
    </Topic>
  );
}

function Whereabouts({ session }: { readonly session: Session }) {
  const texts = useTexts(SESSION_TEXTS);
  return (
    <dl className="facts" id={`session-${session.id}`}>
      <dt>{texts.lastUsed}</dt>
      <dd>
        <Time at={session.lastUsedAt} />
      </dd>
      <dt>{texts.from}</dt>
      <dd>{session.lastAddress ?? texts.unknownAddress}</dd>
      <dt>{texts.opened}</dt>
      <dd>
        <Time at={session.createdAt} />
        {session.address === session.lastAddress || session.address === null ? null : ` (${session.address})`}
      </dd>
    </dl>
  );
}
