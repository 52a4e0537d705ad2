import type { NewMail } from '../mail/mail.repository.js';
import { plainName } from '../mail/plain-name.js';

/** Days for which the link in the mail undoes what it tells of. */
export const UNDO_DAYS = 30;

/**
 * Tells a user that a host signs somebody in as them from now on, because it says that they have the same address.
 * @param appKey of the app that the host embeds; letters, digits and dashes
 */
export const firstLinkMail = (recipient: string, appKey: string, workspace: string, link: string): NewMail => ({
  recipient,
  subject: `The app ${appKey} now works in your name`,
  body: [
    'Hello,',
    '',
    `a product that embeds the app ${appKey} has signed a user with your e-mail address in to the workspace`,
    `${plainName(workspace)}. From now on that user works there as you and with your rights.`,
    '',
    'If that is you, there is nothing to do. If it is not, undo it here:',
    '',
    link,
    '',
    `The link works once and for ${UNDO_DAYS} days. Afterwards an administrator of the workspace can change the link.`,
    '',
  ].join('\n'),
  validSeconds: 3 * 24 * 3600,
});
