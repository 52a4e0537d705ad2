import { Act, catalogue, ProblemNotice, plural, useLocale, useTexts } from '@crm/ui';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountApi } from './account.api.js';
import { endOthers, endSession } from './end-sessions.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entries, Entry, Fact, Topic, useSay } from './topic.js';

const SESSION_TEXTS = catalogue({
  en: {
    lead: 'Each is one sign-in on one device. If you do not know one, end it and change your password.',
    current: 'this browser',
    unknownDevice: 'Unknown device',
    unknownAddress: 'unknown',
    from: 'From',
    workspace: 'Workspace',
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
    from: 'Von',
    workspace: 'Arbeitsbereich',
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
export function Sessions() {
  const texts = useTexts(SESSION_TEXTS);
  const { lastUsed } = useTexts(SECURITY_TEXTS);
  const { tag } = useLocale();
  const api = useAccountApi();
  const say = useSay();
  const [gone, setGone] = useState<readonly string[]>([]);
  // In a hurry there is no time for a question: who ends the wrong one signs in again there.
  const end = useMutation({
    mutationFn: (id: string) => endSession(api, id),
    onSuccess: (_answer, id) => {
      setGone((before) => [...before, id]);
      say(texts.ended);
    },
  });
  const endAll = async (): Promise<void> => {
    const ids = await endOthers(api);
    setGone((before) => [...before, ...ids]);
    say(plural(tag, ids.length, texts.othersEnded));
  };
  return (
    <Topic lead={texts.lead}>
      {end.error ? <ProblemNotice problem={end.error} /> : null}
      <Act act={texts.endOthers} title={texts.endOthersTitle} text={texts.endOthersText} onAct={endAll} />
      <Entries name="sessions" load={api.sessions}>
        {({ id, current, workspace, device, address, lastAddress, createdAt, lastUsedAt }) => (
          <Entry
            key={id}
            title={device ?? texts.unknownDevice}
            note={current && texts.current}
            gone={gone.includes(id) && texts.gone}
            acts={
              current ? null : (
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
              <Fact name={lastUsed} at={lastUsedAt} />
              <Fact name={texts.from}>{lastAddress ?? texts.unknownAddress}</Fact>
              {workspace ? <Fact name={texts.workspace}>{workspace}</Fact> : null}
              <Fact name={texts.opened} at={createdAt}>
                {address === lastAddress || address === null ? null : ` (${address})`}
              </Fact>
            </div>
          </Entry>
        )}
      </Entries>
    </Topic>
  );
}
