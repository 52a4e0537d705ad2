import { Button, useTexts } from '@crm/ui';
import type { Caller } from '../api/account-api.js';
import { Page } from '../parts/page.js';
import { ProblemText } from '../parts/problem-text.js';
import type { Place } from '../place.js';
import { useCaller, useSession } from '../session.js';
import { SignIn } from './sign-in.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** The sign-in by itself, and then who it was. */
export function Account({ goTo }: { readonly goTo: (place: Place) => void }) {
  const { token } = useSession();
  return token === undefined ? <SignIn /> : <SignedIn goTo={goTo} />;
}

/** Where people look after their account. */
const SECURITY = '/account/security';

function SignedIn({ goTo }: { readonly goTo: (place: Place) => void }) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { end } = useSession();
  const { caller, problem } = useCaller();
  const openSecurity = (): void => {
    // Another document would be another visit, and the session ends with this one.
    history.replaceState(null, '', SECURITY);
    goTo({ path: SECURITY });
  };
  return (
    <Page title={texts.signedIn}>
      {problem ? null : (
        // There before it is known, so that nothing moves when it is.
        <dl className="facts">
          <dt>{texts.name}</dt>
          <dd>{caller?.name ?? '\u00a0'}</dd>
          <dt>{texts.email}</dt>
          <dd>{caller?.email}</dd>
          <dt>{texts.workspace}</dt>
          <dd>{caller?.tenant.name}</dd>
        </dl>
      )}
      {problem ? <ProblemText problem={problem} /> : null}
      {caller?.tenant.verified === false ? <p>{texts.unverified}</p> : null}
      <p className="muted">{texts.signedInText}</p>
      <Button onClick={openSecurity}>{texts.security}</Button>
      <Button onClick={end}>{texts.signOut}</Button>
    </Page>
  );
}

/** Who is signed in: what follows is done by them, and that may be the wrong account. */
export function CallerLine({ caller }: { readonly caller: Caller | undefined }) {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { end } = useSession();
  return (
    <div>
      <p>{caller ? texts.signedInAs(caller.email) : '\u00a0'}</p>
      <Button look="link" onClick={end}>
        {texts.otherAccount}
      </Button>
    </div>
  );
}

/** The end of a step-up at an identity provider, which another page has begun in this window. */
export function ProofNoted() {
  const texts = useTexts(SIGN_IN_TEXTS);
  return (
    <Page title={texts.proven}>
      <p>{texts.provenText}</p>
    </Page>
  );
}
