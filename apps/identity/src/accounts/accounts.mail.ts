import type { NewMail } from '../mail/mail.repository.js';
import { letter, NOTICE_SECONDS, plainName, quotedReason, singleLine } from '../mail/mail-text.js';
import { CLAIM_DAYS } from '../people/email.repository.js';
import type { User } from '../people/people.entity.js';
import type { TenantDecision } from './operator.dto.js';

const CONFIRM_HOURS = 24;
const UNDO_DAYS = 7;
const RESET_MINUTES = 30;
const LINK_HOURS = 24;

export const CONFIRM_SECONDS = CONFIRM_HOURS * 3600;
export const UNDO_SECONDS = UNDO_DAYS * 24 * 3600;
export const RESET_SECONDS = RESET_MINUTES * 60;
export const LINK_SECONDS = LINK_HOURS * 3600;

type Person = Pick<User, 'email' | 'name'>;

const greeting = (name: string): string => `Hello ${singleLine(name)},`;

export const confirmationMail = (newEmail: string, link: string): NewMail =>
  letter(newEmail, 'Confirm your new e-mail address', CONFIRM_SECONDS, [
    'somebody, hopefully you, wants to sign in with this address from now on. Confirm it here:',
    '',
    link,
    '',
    `The link works once and for ${CONFIRM_HOURS} hours. If you did not ask for this, you need not do anything.`,
  ]);

/** To the new address when it has an account: the caller must not learn that it has. */
export const takenMail = (newEmail: string): NewMail =>
  letter(newEmail, 'Your e-mail address has an account already', CONFIRM_SECONDS, [
    'somebody, hopefully you, wanted to move another account to this address. That is not possible, because the address has',
    'an account already. Nothing was changed. If you did not ask for this, you need not do anything.',
  ]);

/** To the old address. */
export const changedMail = (oldEmail: string, newEmail: string, undoLink: string): NewMail =>
  letter(oldEmail, 'The e-mail address of your account was changed', UNDO_SECONDS, [
    `your account now has the address ${newEmail}. This address no longer signs in.`,
    '',
    'If that was not you, undo it here:',
    '',
    undoLink,
    '',
    `The link works for ${UNDO_DAYS} days. It gives you back your address, ends every session and makes the present password`,
    'invalid; you then receive a link to set a new one.',
  ]);

export const resetMail = ({ email, name }: Person, link: string): NewMail =>
  letter(
    email,
    'Set a new password',
    RESET_SECONDS,
    [
      'somebody, hopefully you, asked for a new password for your account. Set it here:',
      '',
      link,
      '',
      `The link works once and for ${RESET_MINUTES} minutes. Your present password stays valid until then, and the second factor`,
      'stays on. If you did not ask for this, you need not do anything.',
    ],
    greeting(name),
  );

/** @param how the sentence that says how it was set */
export const passwordChangedMail = ({ email, name }: Person, how: string): NewMail =>
  letter(
    email,
    'Your password was changed',
    NOTICE_SECONDS,
    [
      how,
      '',
      'If that was not you, set a new password at once ("forgot password"), look at the sessions of your account, and tell an',
      'administrator of your workspace.',
    ],
    greeting(name),
  );

// Whoever registered is unknown: none of these mails carries a text of theirs, not even a name.

export const verificationMail = (recipient: string, link: string): NewMail =>
  letter(recipient, 'Verify your e-mail address', LINK_SECONDS, [
    'a workspace was registered with this e-mail address. If you did that, open this link and sign in:',
    '',
    link,
    '',
    `The link works once and for ${LINK_HOURS} hours. If you did not register, do nothing: without the link the workspace is`,
    `closed after ${CLAIM_DAYS} days, and it cannot do anything in your name until then.`,
  ]);

/** Instead of the link, for an address that has an account: whoever registered is not told that it has one. */
export const accountExistsMail = (recipient: string): NewMail =>
  letter(recipient, 'You already have an account', LINK_SECONDS, [
    'a workspace was registered with this e-mail address, which already has an account. If that was you, sign in to your',
    'account, or register with another address. If it was not, do nothing: the new workspace is closed after',
    `${CLAIM_DAYS} days, and your account is not affected.`,
  ]);

/** Tells those who registered with an address that somebody else has verified it: they have no other address. */
export const claimEndedMail = (recipient: string): NewMail =>
  letter(recipient, 'Another registration with your address has ended', LINK_SECONDS, [
    'this e-mail address was verified for a workspace. Other workspaces had been registered with it; they can no longer be',
    'verified or signed in to with this address, and are closed when their seven days are over. If one of them is yours,',
    'move what you need to the verified workspace before then.',
  ]);

/** @param name of the workspace, as its people chose it */
export function suspensionMail(
  recipient: string,
  decision: TenantDecision,
  name: string,
  reason: string,
  baseUrl: string,
): NewMail {
  const workspace = plainName(name);
  const state = decision === 'suspend' ? 'suspended' : 'reinstated';
  return letter(recipient, `The workspace ${workspace} was ${state}`, NOTICE_SECONDS, [
    `the operators of the platform have ${state} the workspace ${workspace}, which you administer.`,
    '',
    ...quotedReason(reason),
    ...(decision === 'suspend' ? whatStops() : whatGoesOn(baseUrl)),
  ]);
}

const whatStops = (): string[] => [
  'From now on:',
  '',
  '- Nobody can sign in to it, and everybody who was signed in is signed out.',
  '- API keys, installed apps and products that embed the CRM have no access to it.',
  '- Webhooks and workflows wait. What other systems send to its hooks is refused and not kept.',
  '- Nothing is deleted: records, users, apps and settings stay as they are.',
  '- Apps that it has published go on where other workspaces have installed them.',
  '',
  'You get another mail when it is reinstated.',
];

const whatGoesOn = (baseUrl: string): string[] => [
  'From now on:',
  '',
  `- Everybody can sign in again: ${baseUrl}/account/sign-in`,
  '- API keys, installed apps and embedding products have access again. Apps that acted for a user ask that user again.',
  '- Webhooks and workflows go on with what has waited.',
  '- What other systems sent to its hooks in the meantime was not kept: have them send it again.',
  '',
  'Both decisions are in the audit trail of the workspace:',
  `GET ${baseUrl}/api/admin/audit?action=workspace.suspended`,
  `GET ${baseUrl}/api/admin/audit?action=workspace.reinstated`,
];
