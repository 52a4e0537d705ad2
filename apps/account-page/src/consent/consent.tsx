import { ApiProblem } from '@crm/api-client';
import { Button, Loading, useLocale, useTexts } from '@crm/ui';
import { useCallback, useState } from 'react';
import { type AccessRequest, accountApi } from '../api/account-api.js';
import { NoSuchView, Page } from '../parts/page.js';
import { ProblemText } from '../parts/problem-text.js';
import { useCaller, useLoaded, useSession } from '../session.js';
import { CallerLine } from '../sign-in/account.js';
import { SignIn } from '../sign-in/sign-in.js';
import { useAction } from '../use-action.js';
import { CONSENT_TEXTS } from './consent.texts.js';
import { destination } from './destination.js';
import { periodText } from './period-text.js';
import { givenOf, ScopeChoice, type ScopeChoiceProps } from './scope-choice.js';

/** What an app could do, and what of it the person gives. */
function ScopeList(choice: ScopeChoiceProps) {
  const texts = useTexts(CONSENT_TEXTS);
  const { scopes } = choice;
  if (scopes.length === 0) return <p>{texts.nothing}</p>;
  return (
    <section className="stack" aria-labelledby="scopes">
      <h2 id="scopes">{texts.scopes}</h2>
      {scopes.every(({ required }) => required) ? null : <p>{texts.choose}</p>}
      <ScopeChoice {...choice} />
    </section>
  );
}

/** Whether an app gets access: who it is, what it could do, where the answer goes, and two buttons of equal weight. */
export function Consent({ request }: { readonly request: string | undefined }) {
  const texts = useTexts(CONSENT_TEXTS);
  const { token } = useSession();
  if (request === undefined) return <NoSuchView />;
  if (token === undefined) return <SignIn title={texts.signIn} lead={texts.signInText} />;
  return <LoadedRequest id={request} />;
}

function LoadedRequest({ id }: { readonly id: string }) {
  const texts = useTexts(CONSENT_TEXTS);
  const { caller } = useCaller();
  const load = useCallback((token: string) => accountApi.accessRequest(token, id), [id]);
  const { value, problem, isCurrent, reload } = useLoaded(load);
  if (isCurrent && value) return <Question asked={value} />;
  if (!isCurrent || !problem) {
    return (
      <Page title={texts.loading}>
        <Loading label={texts.loading} />
      </Page>
    );
  }
  const isGone = problem instanceof ApiProblem && (problem.status === 404 || problem.status === 410);
  return (
    <Page title={isGone ? texts.gone : texts.signIn}>
      {isGone ? <p role="alert">{texts.goneText}</p> : <ProblemText problem={problem} words={texts.problems} />}
      {problem instanceof ApiProblem && problem.isTemporary ? <Button onClick={reload}>{texts.retry}</Button> : null}
      <CallerLine caller={caller} />
    </Page>
  );
}

function Question({ asked }: { readonly asked: AccessRequest }) {
  const { id, app, tenant, scopes, accessPeriod, redirectHost } = asked;
  const texts = useTexts(CONSENT_TEXTS);
  const { tag } = useLocale();
  const { call } = useSession();
  const { caller } = useCaller();
  const [isLeaving, setIsLeaving] = useState(false);
  const [withheld, setWithheld] = useState<ReadonlySet<string>>(new Set());
  const [isNothing, setIsNothing] = useState(false);
  const decide = useAction(async (decision: 'approve' | 'deny') => {
    const given = givenOf(scopes, withheld);
    const hasNothing = decision === 'approve' && scopes.length > 0 && given.length === 0;
    setIsNothing(hasNothing);
    if (hasNothing) return;
    const chosen = decision === 'approve' && withheld.size > 0 ? given : undefined;
    const { redirectTo } = await call((token) => accountApi.decide(token, id, decision, chosen));
    const address = destination(redirectTo);
    setIsLeaving(true);
    // The session ends with the page: whoever uses this browser next has to sign in.
    location.assign(address);
  });

  if (isLeaving) {
    return (
      <Page title={texts.leaving(redirectHost)}>
        <p role="status">{texts.leavingText}</p>
      </Page>
    );
  }
  return (
    <Page title={texts.title(app.name)}>
      <p>
        {texts.by(app.publisher)} {texts.workspace(tenant.name)}
      </p>
      <ScopeList scopes={scopes} withheld={withheld} onChange={setWithheld} />
      <p>{texts.rights}</p>
      <p>{texts.period(periodText(accessPeriod.maxSeconds, tag), periodText(accessPeriod.idleSeconds, tag))}</p>
      <p>{texts.destination(redirectHost)}</p>
      {isNothing ? (
        <p className="problem" role="alert">
          {texts.nothingLeft}
        </p>
      ) : null}
      {decide.problem ? <ProblemText problem={decide.problem} words={texts.problems} /> : null}
      <div className="choices">
        <Button disabled={decide.isBusy} onClick={() => decide.run('deny')}>
          {texts.deny}
        </Button>
        <Button disabled={decide.isBusy} onClick={() => decide.run('approve')}>
          {texts.approve}
        </Button>
      </div>
      <CallerLine caller={caller} />
    </Page>
  );
}
