import { Act, useTexts, type Values } from '@crm/ui';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { type Grant, useAccountApi } from './account.api.js';
import { APP_TEXTS } from './apps.texts.js';
import { givenOf, nothingChosen, ScopeChoice } from './scope-choice.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entries, Entry, Fact, ScopeWords, Topic, useSay } from './topic.js';

/** Which apps act in the name of the person: what each may do and since when; takes some of it or all of it away. */
export function Apps() {
  const texts = useTexts(APP_TEXTS);
  const api = useAccountApi();
  return (
    <Topic lead={texts.lead}>
      <Entries name="grants" load={api.grants} none={texts.none}>
        {(grant) => <AppEntry key={grant.id} grant={grant} />}
      </Entries>
    </Topic>
  );
}

/** Returns whether there is something that an app can lose and still work. */
const canLose = ({ scopes, requiredScopes }: Grant): boolean =>
  scopes.length > 1 && scopes.some((scope) => !requiredScopes.includes(scope));

function AppEntry({ grant }: { readonly grant: Grant }) {
  const texts = useTexts(APP_TEXTS);
  const { appOf, gone, lastUsed } = useTexts(SECURITY_TEXTS);
  const api = useAccountApi();
  const say = useSay();
  const [isGone, setGone] = useState(false);
  /** The same after something was taken away since the list was opened. */
  const [now, setNow] = useState(grant);
  const { id, app, scopes, createdAt, lastUsedAt, expiresAt } = grant;
  const kept = now.scopes.map((name) => ({ name, required: now.requiredScopes.includes(name) }));
  const narrow = async (values: Values): Promise<void> => {
    const given = givenOf(kept, values);
    if (given.length === kept.length) throw nothingChosen();
    setNow(await api.narrowGrant(id, given));
    say(texts.changed(app.name));
  };
  const withdraw = async (): Promise<void> => {
    await api.endGrant(id);
    setGone(true);
    say(texts.withdrawn(app.name));
  };
  return (
    <Entry
      title={app.name}
      gone={isGone && gone}
      acts={
        <>
          {canLose(grant) ? (
            <Act
              act={texts.change}
              of={app.name}
              title={texts.changeTitle(app.name)}
              text={texts.changeText}
              confirm={texts.changeNow}
              words={texts.problems}
              isOver={!canLose(now)}
              onAct={narrow}
            >
              <ScopeChoice scopes={kept} />
            </Act>
          ) : null}
          <Act
            act={texts.withdraw}
            of={app.name}
            title={texts.withdrawTitle(app.name)}
            text={texts.withdrawText}
            onAct={withdraw}
          />
        </>
      }
    >
      <Text>{appOf(app.publisher)}</Text>
      <ScopeWords scopes={scopes} lost={scopes.filter((scope) => !now.scopes.includes(scope))} />
      <Fact name={texts.since} at={createdAt} />
      <Fact name={lastUsed} at={lastUsedAt} />
      <Fact name={texts.ends} at={expiresAt} />
    </Entry>
  );
}
