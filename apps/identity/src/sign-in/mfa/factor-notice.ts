import type { NewMail } from '../../mail/mail.repository.js';

/** A change of the second factor that its user is told about, so that one made by a thief does not go unnoticed. */
export type FactorChange = 'authenticator-added' | 'authenticator-removed' | 'recovery-codes-replaced';

const NOTICES: Readonly<Record<FactorChange, { subject: string; sentence: string }>> = {
  'authenticator-added': {
    subject: 'An authenticator was added to your account',
    sentence: 'An authenticator app was added to your account. From now on every sign-in asks for its code.',
  },
  'authenticator-removed': {
    subject: 'The authenticator was removed from your account',
    sentence:
      'The authenticator app was removed from your account. From now on sign-in codes are sent to this address.',
  },
  'recovery-codes-replaced': {
    subject: 'Your recovery codes were replaced',
    sentence: 'The recovery codes of your account were replaced. The previous ones do not work any more.',
  },
};

const VALID_SECONDS = 3 * 24 * 3600;

/** @param recipient the address of the user */
export function factorNotice(recipient: string, change: FactorChange): NewMail {
  const { subject, sentence } = NOTICES[change];
  const advice =
    'If this was not you, change your password, end all sessions and tell the administrator of your workspace.';
  return { recipient, subject, body: `${sentence}\n\n${advice}\n`, validSeconds: VALID_SECONDS };
}
