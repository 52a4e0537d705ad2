import type { NewMail } from '../mail/mail.repository.js';
import { plainName } from '../mail/plain-name.js';

/** Tells a user that a provider signs them in from now on, because it says that they have the same address. */
export const firstSignInMail = (recipient: string, provider: string): NewMail => ({
  recipient,
  subject: 'Your account is linked to an identity provider',
  body: [
    'Hello,',
    '',
    `somebody with your e-mail address has signed in through ${plainName(provider)}, the identity provider of your workspace.`,
    'From now on that sign-in opens your account.',
    '',
    'If that was you, there is nothing to do. If it was not, tell an administrator of your workspace at once.',
    '',
  ].join('\n'),
  validSeconds: 3 * 24 * 3600,
});
