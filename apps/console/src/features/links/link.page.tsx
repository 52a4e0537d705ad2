import { usePlace } from '../sign-in/place-context.js';
import { ConfirmLink } from './confirm-link.js';
import { SetPassword } from './set-password.js';
import { VerifyEmail } from './verify-email.js';

/** What a mail links to, by the address. */
export default function LinkPage() {
  const { path, token } = usePlace();
  switch (path) {
    case '/verify-email':
      return <VerifyEmail token={token} />;
    case '/password-reset':
    case '/invitation':
      return <SetPassword kind={path === '/invitation' ? 'invitation' : 'password-reset'} token={token} />;
    case '/email-change/undo':
      return <ConfirmLink kind="email-change-undo" token={token} />;
    case '/undo-link':
      return <ConfirmLink kind="undo-link" token={token} />;
    default:
      return <ConfirmLink kind="email-change" token={token} />;
  }
}
