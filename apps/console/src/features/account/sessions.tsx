import { catalogue, plural, useLocale, useTexts } from '@crm/ui';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../sign-in/parts/confirm.js';
import { ProblemText } from '../sign-in/parts/problem-text.js';
import { endOthers, endSession } from './end-sessions.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entries, Entry, Fact, Time, Topic, type TopicViewProps, useTopicQuery, WhenLoaded } from './topic.js';
import { useAccountApi } from './use-account-api.js';
import { useGone } from './use-gone.js';

const SESSION_TEXTS = catalogue({
  en: {
    lead: 'Each is one sign-in on one device. If you do not know one, end it and change your password.',
    current: 'this browser',
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
    current: 'dieser Browser',
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
  const api = useAccountApi();
  const loaded = useTopicQuery('sessions', api.sessions);
  const { isGone, addGone } = useGone();
  const [outcome, setOutcome] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  // In a hurry there is no time for a question: who ends the wrong one signs in again there.
  const end = useMutation({
    mutationFn: (id: string) => endSession(api, id),
    onSuccess: (_answer, id) => {
      addGone([id]);
      setOutcome(texts.ended);
    },
  });
  const endAll = async (): Promise<void> => {
    const ids = await endOthers(api);
    addGone(ids);
    setOutcome(plural(tag, ids.length, texts.othersEnded));
    setIsAsking(false);
  };

  return (
    <Topic title={topics.sessions.title} lead={texts.lead} onBack={onBack} outcome={outcome}>
      {end.error ? <ProblemText problem={end.error} /> : null}
      <WhenLoaded loaded={loaded}>
        {({ data }) => (
          <>
            <Button variant="default" onClick={() => setIsAsking(true)}>
              {texts.endOthers}
            </Button>
            <Entries none="">
              {data.map(({ id, current, device, address, lastAddress, createdAt, lastUsedAt }) => (
                <Entry
                  key={id}
                  title={device ?? texts.unknownDevice}
                  note={current ? texts.current : undefined}
                  gone={isGone(id) ? texts.gone : undefined}
                  acts={
                    current ? undefined : (
                      <Button
                        variant="default"
                        onClick={() => end.mutate(id)}
                        aria-label={`${texts.end}: ${device ?? texts.unknownDevice}`}
                        aria-describedby={`session-${id}`}
                      >
                        {texts.end}
                      </Button>
                    )
                  }
                >
                  <div id={`session-${id}`}>
                    <Fact name={texts.lastUsed} at={lastUsedAt} />
                    <Fact name={texts.from}>{lastAddress ?? texts.unknownAddress}</Fact>
                    <Fact name={texts.opened}>
                      <Time at={createdAt} />
                      {address === lastAddress || address === null ? null : ` (${address})`}
                    </Fact>
                  </div>
                </Entry>
              ))}
            </Entries>
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
