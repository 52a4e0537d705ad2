import type { NewMail } from '../mail/mail.repository.js';
import type { User } from '../people/user.entity.js';

export const RESET_MINUTES = 30;
/** A notice is of use until it is read. */
const NOTICE_SECONDS = 3 * 24 * 3600;

type Person = Pick<User, 'email' | 'name'>;

/** The mail with the link to set a new password. @param link with its token */
export function resetMail({ email, name }: Person, link: string): NewMail {
  const body = [
    greeting(name),
    '',
    'somebody, hopefully you, asked for a new password for your account. Set it here:',
    '',
    link,
    '',
    `The link works once and for ${RESET_MINUTES} minutes. Your present password stays valid until then, and the second factor`,
    'stays on. If you did not ask for this, you need not do anything.',
    '',
  ].join('\n');
  return { recipient: email, subject: 'Set a new password', body, validSeconds: RESET_MINUTES * 60 };
}

/** The notice that a password is another one now. @param how the sentence that says how it was set */
export function passwordChangedMail({ email, name }: Person, how: string): NewMail {
  const body = [
    greeting(name),
    '',
    how,
    '',
    'If that was not you, set a new password at once ("forgot password"), look at the sessions of your account, and tell an',
    'administrator of your workspace.',
    '',
  ].join('\n');
  return { recipient: email, subject: 'Your password was changed', body, validSeconds: NOTICE_SECONDS };
}

/** Names come from users; a line break in one must not become one in a mail. */
const greeting = (name: string): string => `Hello ${name.replace(/\s+/g, ' ').trim()},`;
