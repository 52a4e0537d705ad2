import type { NewMail } from '../mail/mail.repository.js';
import { letter } from '../mail/mail-text.js';

const CONFIRM_HOURS = 24;

const UNDO_DAYS = 7;

export const CONFIRM_SECONDS = CONFIRM_HOURS * 3600;

export const UNDO_SECONDS = UNDO_DAYS * 24 * 3600;

export const confirmationMail = (newEmail: string, link: string): NewMail =>
  letter(newEmail, 'Confirm your new email address', CONFIRM_SECONDS, [
    'someone, hopefully you, wants to sign in with this address from now on. Confirm it here:',
    '',
    link,
    '',
    `The link works once and for ${CONFIRM_HOURS} hours. If you did not ask for this, you need not do anything.`,
  ]);

/** To the new address when it has an account: the caller must not learn that it has. */
export const addressTakenMail = (newEmail: string): NewMail =>
  letter(newEmail, 'Your email address has an account already', CONFIRM_SECONDS, [
    'someone, hopefully you, wanted to move another account to this address. That is not possible, because the address has',
    'an account already. Nothing was changed. If you did not ask for this, you need not do anything.',
  ]);

/** To the old address. */
export const emailChangedMail = (oldEmail: string, newEmail: string, undoLink: string): NewMail =>
  letter(oldEmail, 'The email address of your account was changed', UNDO_SECONDS, [
    `your account now has the address ${newEmail}. This address no longer signs in.`,
    '',
    'If that was not you, undo it here:',
    '',
    undoLink,
    '',
    `The link works for ${UNDO_DAYS} days. It gives you back your address, ends every session and makes the present password`,
    'invalid; you then receive a link to set a new one.',
  ]);
