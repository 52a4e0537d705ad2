import type { NewMail } from '../mail/mail.repository.js';
import { CLAIM_DAYS } from '../people/email-claim.repository.js';

/** Hours for which the link in a mail works. */
export const LINK_HOURS = 24;
const LINK_SECONDS = LINK_HOURS * 3600;

// Whoever registered is unknown: none of these mails carries a text of theirs, not even a name.

/** Asks whether the recipient registered. */
export const verificationMail = (recipient: string, link: string): NewMail => ({
  recipient,
  subject: 'Verify your e-mail address',
  body: [
    'Hello,',
    '',
    'a workspace was registered with this e-mail address. If you did that, open this link and sign in:',
    '',
    link,
    '',
    `The link works once and for ${LINK_HOURS} hours. If you did not register, do nothing: without the link the workspace is`,
    `closed after ${CLAIM_DAYS} days, and it cannot do anything in your name until then.`,
    '',
  ].join('\n'),
  validSeconds: LINK_SECONDS,
});

/** Instead of the link, for an address that has an account: whoever registered is not told that it has one. */
export const accountExistsMail = (recipient: string): NewMail => ({
  recipient,
  subject: 'You already have an account',
  body: [
    'Hello,',
    '',
    'a workspace was registered with this e-mail address, which already has an account. If that was you, sign in to your',
    'account, or register with another address. If it was not, do nothing: the new workspace is closed after',
    `${CLAIM_DAYS} days, and your account is not affected.`,
    '',
  ].join('\n'),
  validSeconds: LINK_SECONDS,
});

/** Tells those who registered with an address that somebody else has verified it: they have no other address. */
export const claimEndedMail = (recipient: string): NewMail => ({
  recipient,
  subject: 'Another registration with your address has ended',
  body: [
    'Hello,',
    '',
    'this e-mail address was verified for a workspace. Other workspaces had been registered with it; they can no longer be',
    'verified or signed in to with this address, and are closed when their seven days are over. If one of them is yours,',
    'move what you need to the verified workspace before then.',
    '',
  ].join('\n'),
  validSeconds: LINK_SECONDS,
});
