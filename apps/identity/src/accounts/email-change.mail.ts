import type { NewMail } from '../mail/mail.repository.js';

export const CONFIRM_HOURS = 24;
export const UNDO_DAYS = 7;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** To the new address. @param link with its token */
export function confirmationMail(newEmail: string, link: string): NewMail {
  return {
    recipient: newEmail,
    subject: 'Confirm your new e-mail address',
    body: text([
      'somebody, hopefully you, wants to sign in with this address from now on. Confirm it here:',
      '',
      link,
      '',
      `The link works once and for ${CONFIRM_HOURS} hours. If you did not ask for this, you need not do anything.`,
    ]),
    validSeconds: CONFIRM_HOURS * HOUR_SECONDS,
  };
}

/** To the new address when it has an account: the caller must not learn that it has. */
export function takenMail(newEmail: string): NewMail {
  return {
    recipient: newEmail,
    subject: 'Your e-mail address has an account already',
    body: text([
      'somebody, hopefully you, wanted to move another account to this address. That is not possible, because the address has',
      'an account already. Nothing was changed. If you did not ask for this, you need not do anything.',
    ]),
    validSeconds: CONFIRM_HOURS * HOUR_SECONDS,
  };
}

/** To the old address. @param link with the token that undoes the change */
export function changedMail(oldEmail: string, newEmail: string, link: string): NewMail {
  return {
    recipient: oldEmail,
    subject: 'The e-mail address of your account was changed',
    body: text([
      `your account now has the address ${newEmail}. This address no longer signs in.`,
      '',
      'If that was not you, undo it here:',
      '',
      link,
      '',
      `The link works for ${UNDO_DAYS} days. It gives you back your address, ends every session and makes the present password`,
      'invalid; you then receive a link to set a new one.',
    ]),
    validSeconds: UNDO_DAYS * DAY_SECONDS,
  };
}

export const CONFIRM_SECONDS = CONFIRM_HOURS * HOUR_SECONDS;
export const UNDO_SECONDS = UNDO_DAYS * DAY_SECONDS;

const text = (lines: readonly string[]): string => ['Hello,', '', ...lines, ''].join('\n');
