import type { NewMail } from '../mail/mail.repository.js';
import { letter, NOTICE_SECONDS, plainName, quotedReason } from '../mail/mail-text.js';
import { CLAIM_DAYS } from '../people/email.repository.js';
import type { User } from '../people/people.entity.js';
import type { TenantDecision } from './operator.dto.js';

const CONFIRM_HOURS = 24;
const UNDO_DAYS = 7;
const RESET_MINUTES = 30;
const LINK_HOURS = 24;
const INVITATION_DAYS = 7;

export const CONFIRM_SECONDS = CONFIRM_HOURS * 3600;
export const UNDO_SECONDS = UNDO_DAYS * 24 * 3600;
export const RESET_SECONDS = RESET_MINUTES * 60;
export const LINK_SECONDS = LINK_HOURS * 3600;
export const INVITATION_SECONDS = INVITATION_DAYS * 24 * 3600;

type Person = Pick<User, 'email' | 'name'>;

const greeting = (name: string): string => `Hello ${plainName(name, 'there')},`;

export const confirmationMail = (newEmail: string, link: string): NewMail =>
  letter(newEmail, 'Confirm your new email address', CONFIRM_SECONDS, [
    'somebody, hopefully you, wants to sign in with this address from now on. Confirm it here:',
    '',
    link,
    '',
    `The link works once and for ${CONFIRM_HOURS} hours. If you did not ask for this, you need not do anything.`,
  ]);

export interface AccountLink {
  /** The name that its people have given it. */
  readonly workspace: string;
  readonly link: string;
}

/** For an address that nobody has proven: the one link that is opened proves it, and the account becomes that of the recipient. */
export const chooseAccountMail = (recipient: string, accounts: readonly AccountLink[]): NewMail =>
  letter(recipient, 'Set a new password', RESET_SECONDS, [
    'somebody, hopefully you, asked for a new password. Workspaces have added this address, which nobody has verified so far.',
    'Set the password of the account that you want to use:',
    '',
    ...accounts.flatMap(({ workspace, link }) => [`In the workspace ${plainName(workspace)}:`, link, '']),
    `One of the links works, once and for ${RESET_MINUTES} minutes. It makes the account yours: whoever has used it before is signed`,
    'out. If you did not ask for this, or know none of the workspaces, you need not do anything.',
  ]);

/** To the new address when it has an account: the caller must not learn that it has. */
export const addressTakenMail = (newEmail: string): NewMail =>
  letter(newEmail, 'Your email address has an account already', CONFIRM_SECONDS, [
    'somebody, hopefully you, wanted to move another account to this address. That is not possible, because the address has',
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
          `${link === undefined ? 'Accept' : 'If somebody else did that for you, accept'} the workspace or decline it here. Whoever has used it before is then signed out:`,
          '',
          offer,
          '',
        ]),
    `The link works once and for ${LINK_HOURS} hours. If you did not register, do nothing: without the link the workspace is`,
    `closed after ${CLAIM_DAYS} days, and it cannot do anything in your name until then.`,
  ]);

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
    `your account is now in the workspace ${plainName(workspace)} as well: it was accepted with a link from a mail, or by somebody who`,
    'was signed in to your account. You enter it with the password that you have.',
    '',
    'If that was not you, set a new password at once ("forgot password"), and leave the workspace.',
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
