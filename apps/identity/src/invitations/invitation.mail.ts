import type { NewMail } from '../mail/mail.repository.js';
import { letter, NOTICE_SECONDS, plainName } from '../mail/mail-text.js';

const INVITATION_DAYS = 7;

export const INVITATION_SECONDS = INVITATION_DAYS * 24 * 3600;

/**
 * Without the name of the recipient: the sender chooses it.
 * @param isKnown whether the address has an account, to which the workspace is then added: the sender is not told
 */
export const invitationMail = (recipient: string, workspace: string, link: string, isKnown: boolean): NewMail =>
  letter(recipient, `Invitation to ${plainName(workspace)}`, INVITATION_SECONDS, [
    `you have been invited to the workspace ${plainName(workspace)}.`,
    isKnown
      ? 'Accept or decline here; your account is then in it as well, with the password that it has:'
      : 'Set your password here, or decline:',
    '',
    link,
    '',
    `The link works once and for ${INVITATION_DAYS} days.`,
  ]);

/** @param workspace as its people named it */
export const joinedWorkspaceMail = (recipient: string, workspace: string): NewMail =>
  letter(recipient, `You are now in the workspace ${plainName(workspace)}`, NOTICE_SECONDS, [
    `your account is now in the workspace ${plainName(workspace)} as well: it was accepted with a link from a mail, or by someone who`,
    'was signed in to your account. You enter it with the password that you have.',
    '',
    'If that was not you, set a new password at once ("forgot password"), and leave the workspace.',
  ]);
