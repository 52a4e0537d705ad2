import { Button, useTexts } from '@crm/ui';
import { Page } from '../../parts/page.js';
import { ProblemText } from '../../problems/problem-text.js';
import { useSession } from '../../session.js';
import { useCaller } from '../../use-caller.js';
import { SignIn } from './sign-in.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** The sign-in by itself, and then who it was. */
export function Account() {
  const { token } = useSession();
  return token === undefined ? <SignIn /> : <SignedIn />;
}

function SignedIn() {
  const texts = useTexts(SIGN_IN_TEXTS);
  const { end } = useSession();
  const { caller, problem } = useCaller();
  return (
    <Page title={texts.signedIn}>
      {caller ? (
        <dl className="facts">
          <dt>{texts.name}</dt>
          <dd>{caller.name}</dd>
          <dt>{texts.email}</dt>
          <dd>{caller.email}</dd>
          <dt>{texts.workspace}</dt>
          <dd>{caller.tenant.name}</dd>
        </dl>
      ) : null}
      {problem ? <ProblemText problem={problem} /> : null}
      {caller?.tenant.verified === false ? <p>{texts.unverified}</p> : null}
      <p className="muted">{texts.signedInText}</p>
      <Button onClick={end}>{texts.signOut}</Button>
    </Page>
  );
}
