import { Button, useTexts } from '@crm/ui';
import type { Grant } from '../../../api/security-api.js';
import { Time } from '../../../parts/time.js';
import { Entry } from '../parts/entry.js';
import { ScopeWords } from '../parts/scope-words.js';
import { APP_TEXTS } from './apps.texts.js';
import { canLose } from './narrow.js';

export interface AppEntryProps {
  readonly grant: Grant;
  /** The same after something was taken away since the list was opened. */
  readonly narrowed: Grant | undefined;
  readonly isGone: boolean;
  readonly onNarrow: () => void;
  readonly onWithdraw: () => void;
}

/** An app that acts in the name of the person. */
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
        <dt>{texts.since}</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>{texts.lastUsed}</dt>
        <dd>
          <Time at={lastUsedAt} />
        </dd>
        <dt>{texts.ends}</dt>
        <dd>
          <Time at={expiresAt} />
        </dd>
      </dl>
    </Entry>
  );
}
