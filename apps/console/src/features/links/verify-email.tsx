import { catalogue, Form, Page, ProblemNotice, useTexts } from '@crm/ui';
import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useAccountApi } from '../account/account.api.js';
import { WithSession } from '../account/with-session.js';
import { CallerLine } from '../sign-in/caller-line.js';
import { isInvalidLink, LINK_TEXTS } from './links.texts.js';

const VERIFY_TEXTS = catalogue({
  en: {
    invalid: 'This link does not work for the account.',
    resend: 'Send another mail',
    sent: 'A new mail is on its way. Open the link in that one.',
    problems: {
      CONFLICT: 'The address of this account is verified already, or kept for somebody who has given it up.',
    },
  },
  de: {
    invalid: 'Dieser Link gilt nicht für das Konto.',
    resend: 'Noch eine E-Mail schicken',
    sent: 'Eine neue E-Mail ist unterwegs. Öffnen Sie den Link darin.',
    problems: {
      CONFLICT:
        'Die Adresse dieses Kontos ist bereits bestätigt, oder sie ist noch für jemanden aufgehoben, der sie abgegeben hat.',
    },
  },
});

/**
 * Both are asked for, the token of the mail and the account: someone who registers with the address of another person must
 * not gain it by a click of that person.
 */
export function VerifyEmail({ token }: { readonly token: string }) {
  const texts = useTexts(LINK_TEXTS).links['verify-email'];
  return (
    <WithSession title={texts.title} lead={texts.text}>
      <Verify token={token} />
    </WithSession>
  );
}

function Verify({ token }: { readonly token: string }) {
  const texts = useTexts(LINK_TEXTS).links['verify-email'];
  const words = useTexts(VERIFY_TEXTS);
  const api = useAccountApi();
  const verify = useMutation({ mutationFn: () => api.verifyEmail(token) });
  const resend = useMutation({ mutationFn: api.resendVerification });
  if (verify.isSuccess) {
    return (
      <Page title={texts.doneTitle}>
        <Text role="status">{texts.doneText}</Text>
      </Page>
    );
  }
  return (
    <Page title={texts.title}>
      <CallerLine />
      <Form
        action={verify}
        submit={texts.button}
        words={{ ...words.problems, INVALID_VERIFICATION: `${words.invalid} ${texts.invalid}` }}
      />
      {isInvalidLink(verify.error) && !resend.isSuccess ? (
        <Button variant="default" onClick={() => resend.mutate()} loading={resend.isPending}>
          {words.resend}
        </Button>
      ) : null}
      {resend.error ? <ProblemNotice problem={resend.error} words={words.problems} /> : null}
      {resend.isSuccess ? <Text role="status">{words.sent}</Text> : null}
    </Page>
  );
}
