import type { NewMail } from '../mail/mail.repository.js';
import { letter } from '../mail/mail-text.js';
import { CLAIM_DAYS } from '../people/email-claim.repository.js';

const LINK_HOURS = 24;

export const LINK_SECONDS = LINK_HOURS * 3600;

// The one who registered is unknown: none of these mails carries a text of theirs, not even a name.

/**
 * @param link undefined where the address is someone else's by now: then there is an offer
 * @param offer for an address that has an account: the link by which its person accepts or declines the workspace. The one who registered
 * is not told
 */
export const verificationMail = (recipient: string, link: string | undefined, offer: string | undefined): NewMail =>
  letter(recipient, 'Verify your email address', LINK_SECONDS, [
    ...(offer === undefined
      ? ['a workspace was registered with this email address. If you did that, open this link and sign in:']
      : ['a workspace was registered with this email address, which already has an account.']),
    ...(offer !== undefined && link !== undefined
      ? [
          'If you did that, sign in to the new workspace with the password that you chose for it, and open this link. Your account',
          'is then in both, with the password that it has now:',
        ]
      : []),
    '',
    ...(link === undefined ? [] : [link, '']),
    ...(offer === undefined
      ? []
      : [
          `${link === undefined ? 'Accept' : 'If someone else did that for you, accept'} the workspace or decline it here. Anyone who has used it before is then signed out:`,
          '',
          offer,
          '',
        ]),
    `The link works once and for ${LINK_HOURS} hours. If you did not register, do nothing: without the link the workspace is`,
    `closed after ${CLAIM_DAYS} days, and it cannot do anything in your name until then.`,
  ]);
