import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type Grant, securityApi } from '../api/security-api.js';
import { givenOf, ScopeChoice } from '../consent/scope-choice.js';
import { Confirm, Dialog } from '../parts/dialog.js';
import { PAGE_TEXTS } from '../parts/parts.texts.js';
import { ProblemText } from '../parts/problem-text.js';
import { useLoaded, useSession } from '../session.js';
import { useAction } from '../use-action.js';
import { APP_TEXTS } from './apps.texts.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Entry, Fact, ScopeWords, Topic, type TopicViewProps, WhenLoaded } from './topic.js';
import { useGone } from './use-gone.js';

export interface NarrowProps {
  readonly grant: Grant;
  /** @param narrowed what the app may still do */
  readonly onNarrowed: (narrowed: Grant) => void;
  readonly onClose: () => void;
}

/** Whether there is something that an app can lose and still work. */
export const canLose = ({ scopes, requiredScopes }: Grant): boolean =>
  scopes.length > 1 && scopes.some((scope) => !requiredScopes.includes(scope));

/** Asks what an app keeps of what it may do. */
export function Narrow({ grant, onNarrowed, onClose }: NarrowProps) {
  const texts = useTexts(APP_TEXTS);
  const { cancel } = useTexts(PAGE_TEXTS);
  const { call } = useSession();
  const [withheld, setWithheld] = useState<ReadonlySet<string>>(new Set());
  const [isNothing, setIsNothing] = useState(false);
  const scopes = grant.scopes.map((name) => ({
    name,
    description: name,
    writes: !name.endsWith(':read'),
    required: grant.requiredScopes.includes(name),
  }));
  const action = useAction(async () => {
    const kept = givenOf(scopes, withheld);
    const changesNothing = kept.length === 0 || kept.length === scopes.length;
    setIsNothing(changesNothing);
    if (changesNothing) return;
    onNarrowed(await call((token) => securityApi.narrowGrant(token, grant.id, kept)));
  });
  return (
    <Dialog title={texts.changeTitle(grant.app.name)} onClose={onClose}>
      <p>{texts.changeText}</p>
      <ScopeChoice scopes={scopes} withheld={withheld} onChange={setWithheld} />
      {isNothing ? (
        <p className="problem" role="alert">
          {texts.nothingLeft}
        </p>
      ) : null}
      {action.problem ? <ProblemText problem={action.problem} words={texts.problems} /> : null}
      <div className="choices">
        <Button onClick={onClose}>{cancel}</Button>
        <Button look="primary" onClick={action.run} aria-busy={action.isBusy}>
          {texts.changeNow}
        </Button>
      </div>
    </Dialog>
  );
}

export interface AppEntryProps {
  readonly grant: Grant;
  /** The same after something was taken away since the list was opened. */
  readonly narrowed: Grant | undefined;
  readonly isGone: boolean;
  readonly onNarrow: () => void;
  readonly onWithdraw: () => void;
}

export function AppEntry({ grant, narrowed = grant, isGone, onNarrow, onWithdraw }: AppEntryProps) {
  const texts = useTexts(APP_TEXTS);
  const { app, scopes, createdAt, lastUsedAt, expiresAt } = grant;
  const lost = scopes.filter((scope) => !narrowed.scopes.includes(scope));
  const isLeast = !canLose(narrowed);
  return (
    <Entry
      title={app.name}
      gone={isGone ? texts.gone : undefined}
      acts={
        <>
          {canLose(grant) ? (
            // It may have the focus: it stays when there is nothing more to lose.
            <Button
              onClick={isLeast ? undefined : onNarrow}
              aria-disabled={isLeast}
              aria-label={`${texts.change}: ${app.name}`}
            >
              {texts.change}
            </Button>
          ) : null}
          <Button onClick={onWithdraw} aria-label={`${texts.withdraw}: ${app.name}`}>
            {texts.withdraw}
          </Button>
        </>
      }
    >
      <p>{texts.by(app.publisher)}</p>
      <ScopeWords scopes={scopes} lost={{ scopes: lost, note: texts.lost }} />
      <dl className="facts">
        <Fact name={texts.since} at={createdAt} />
        <Fact name={texts.lastUsed} at={lastUsedAt} />
        <Fact name={texts.ends} at={expiresAt} />
      </dl>
    </Entry>
  );
}

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
