import type { NewMail } from '../mail/mail.repository.js';
import { plainName, quotedReason } from '../mail/mail-text.js';
import { CLAIM_DAYS } from '../people/email.repository.js';
import type { User } from '../people/people.entity.js';
import type { TenantDecision } from './suspension.dto.js';

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

/** A notice is of use until it is read. */
const SUSPENSION_NOTICE_SECONDS = 3 * 24 * 3600;

/** @param name of the workspace, as its people chose it */
export function suspensionMail(
  decision: TenantDecision,
  name: string,
  reason: string,
  baseUrl: string,
): Omit<NewMail, 'recipient'> {
  const workspace = plainName(name);
  const state = decision === 'suspend' ? 'suspended' : 'reinstated';
  const body = [
    'Hello,',
    '',
    `the operators of the platform have ${state} the workspace ${workspace}, which you administer.`,
    '',
    ...quotedReason(reason),
    ...(decision === 'suspend' ? whatStops() : whatGoesOn(baseUrl)),
    '',
  ];
  return {
    subject: `The workspace ${workspace} was ${state}`,
    body: body.join('\n'),
    validSeconds: SUSPENSION_NOTICE_SECONDS,
  };
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
