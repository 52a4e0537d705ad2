import { Button, catalogue, plural, useLocale, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type Session, securityApi } from '../api/security-api.js';
import { Confirm } from '../parts/dialog.js';
import { ProblemText } from '../parts/problem-text.js';
import { Time } from '../parts/time.js';
import { useLoaded, useSession } from '../session.js';
import { useAction } from '../use-action.js';
import { endOthers, endSession } from './end-sessions.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entry, Fact, Topic, type TopicViewProps, WhenLoaded } from './topic.js';
import { useGone } from './use-gone.js';

const SESSION_TEXTS = catalogue({
  en: {
    lead: 'Each is one sign-in on one device. If you do not know one, end it and change your password.',
    current: 'this page',
    unknownDevice: 'Unknown device',
    unknownAddress: 'unknown',
    lastUsed: 'Last used',
    from: 'From',
    opened: 'Signed in',
    end: 'End the session',
    ended: 'The session has ended.',
    gone: 'Ended',
    endOthers: 'End all other sessions',
    endOthersTitle: 'End all other sessions?',
    endOthersText: 'On every other device you have to sign in again. Apps with access and API keys go on.',
    othersEnded: { one: '# session has ended.', other: '# sessions have ended.' },
  },
  de: {
    lead: 'Jede ist eine Anmeldung auf einem Gerät. Wenn Sie eine nicht kennen, beenden Sie sie, und ändern Sie Ihr Passwort.',
    current: 'diese Seite',
    unknownDevice: 'Unbekanntes Gerät',
    unknownAddress: 'unbekannt',
    lastUsed: 'Zuletzt verwendet',
    from: 'Von',
    opened: 'Angemeldet',
    end: 'Sitzung beenden',
    ended: 'Die Sitzung ist beendet.',
    gone: 'Beendet',
    endOthers: 'Alle anderen Sitzungen beenden',
    endOthersTitle: 'Alle anderen Sitzungen beenden?',
    endOthersText:
      'Auf jedem anderen Gerät müssen Sie sich neu anmelden. Apps mit Zugriff und API-Schlüssel arbeiten weiter.',
    othersEnded: { one: '# Sitzung ist beendet.', other: '# Sitzungen sind beendet.' },
  },
});

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
      <Fact name={texts.lastUsed} at={session.lastUsedAt} />
      <Fact name={texts.from}>{session.lastAddress ?? texts.unknownAddress}</Fact>
      <Fact name={texts.opened}>
        <Time at={session.createdAt} />
        {session.address === session.lastAddress || session.address === null ? null : ` (${session.address})`}
      </Fact>
    </dl>
  );
}
