import { ApiProblem } from '@crm/api-client';
import { Button, catalogue, useTexts } from '@crm/ui';
import { useState } from 'react';
import { accountApi } from '../api/account-api.js';
import { Form } from '../parts/form.js';
import { Page } from '../parts/page.js';
import { ProblemText } from '../parts/problem-text.js';
import { useCaller, useSession } from '../session.js';
import { CallerLine } from '../sign-in/account.js';
import { SignIn } from '../sign-in/sign-in.js';
import { useAction } from '../use-action.js';
import { LinkEnd, NoToken } from './confirm-link.js';
import { isInvalidLink, LINK_TEXTS } from './links.texts.js';

const VERIFY_TEXTS = catalogue({
  en: {
    invalid: 'This link does not work for the account.',
    resend: 'Send another mail',
    sent: 'A new mail is on its way. Open the link in that one.',
    problems: {
      CONFLICT: 'The address of this account is verified already.',
      EMAIL_TAKEN:
        'The address was verified for another workspace. This account cannot be signed in to with it any more.',
    },
  },
  de: {
    invalid: 'Dieser Link gilt nicht für das Konto.',
    resend: 'Noch eine E-Mail schicken',
    sent: 'Eine neue E-Mail ist unterwegs. Öffnen Sie den Link darin.',
    problems: {
      CONFLICT: 'Die Adresse dieses Kontos ist bereits bestätigt.',
      EMAIL_TAKEN:
        'Die Adresse wurde für einen anderen Arbeitsbereich bestätigt. Mit ihr kann sich dieses Konto nicht mehr anmelden.',
    },
  },
});

/**
 * Both are asked for, the token of the mail and the account: somebody who registers with the address of another person must
 * not gain it by a click of that person.
 */
export function VerifyEmail({ token }: { readonly token: string | undefined }) {
  const session = useSession();
  const { links } = useTexts(LINK_TEXTS);
  const texts = links['verify-email'];
  const [isDone, setIsDone] = useState(false);

  if (token === undefined) return <NoToken />;
  if (isDone) return <LinkEnd title={texts.doneTitle} text={texts.doneText} />;
  if (session.token === undefined) return <SignIn title={texts.title} lead={texts.text} />;
  return <Verify token={token} onDone={() => setIsDone(true)} />;
}

function Verify({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const session = useSession();
  const { links } = useTexts(LINK_TEXTS);
  const texts = links['verify-email'];
  const words = useTexts(VERIFY_TEXTS);
  const { caller } = useCaller();
  const [isSent, setIsSent] = useState(false);
  const verify = useAction(async () => {
    await session.call((caller) => accountApi.verifyEmail(caller, token));
    onDone();
  });
  const resend = useAction(async () => {
    await session.call(accountApi.resendVerification);
    setIsSent(true);
  });
  const isInvalid = verify.problem instanceof ApiProblem && isInvalidLink(verify.problem.code);

  return (
    <Page title={texts.title}>
      <CallerLine caller={caller} />
      <Form
        action={verify}
        submit={texts.button}
        words={{ ...words.problems, INVALID_VERIFICATION: `${words.invalid} ${texts.invalid}` }}
      />
      {isInvalid && !isSent ? (
        <Button onClick={resend.run} disabled={resend.isBusy}>
          {words.resend}
        </Button>
      ) : null}
      {resend.problem ? <ProblemText problem={resend.problem} words={words.problems} /> : null}
      {isSent ? <p role="status">{words.sent}</p> : null}
    </Page>
  );
}
