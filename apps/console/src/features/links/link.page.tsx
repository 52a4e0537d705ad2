import { Page, SignInLink, useTexts } from '@crm/ui';
import { Text } from '@mantine/core';
import { signInApi } from '../sign-in/sign-in.api.js';
import { usePageAddress } from '../sign-in/sign-in.layout.js';
import { Invitation } from './invitation.js';
import { LinkForm } from './link-form.js';
import { LINK_TEXTS } from './links.texts.js';
import { ResetPassword } from './reset-password.js';
import { VerifyEmail } from './verify-email.js';

/** What a mail links to, by the address. */
export default function LinkPage() {
  const { path, token } = usePageAddress();
  const { noToken, noTokenText } = useTexts(LINK_TEXTS);
  if (token === undefined) {
    return (
      <Page title={noToken}>
        <Text>{noTokenText}</Text>
      </Page>
    );
  }
  switch (path) {
    case '/verify-email':
      return <VerifyEmail token={token} />;
    case '/password-reset':
      return <ResetPassword token={token} />;
    case '/invitation':
      return <Invitation token={token} />;
    case '/email-change/undo':
      return <LinkForm kind="email-change-undo" act={() => signInApi.undoEmailChange(token)} />;
    case '/undo-link':
      return <LinkForm kind="undo-link" act={() => signInApi.undoLink(token)} />;
    default:
      return (
        <LinkForm
          kind="email-change"
          act={() => signInApi.confirmEmailChange(token)}
          afterDone={() => <SignInLink />}
        />
      );
  }
}
