import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type Grant, securityApi } from '../../../api/security-api.js';
import { Dialog } from '../../../parts/dialog.js';
import { PAGE_TEXTS } from '../../../parts/parts.texts.js';
import { ProblemText } from '../../../problems/problem-text.js';
import { useSession } from '../../../session.js';
import { useAction } from '../../../use-action.js';
import { givenOf, ScopeChoice } from '../../consent/scope-choice.js';
import { APP_TEXTS } from './apps.texts.js';

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
