import type { NewMail } from '../mail/mail.repository.js';
import { letter, NOTICE_SECONDS, plainName } from '../mail/mail-text.js';
import { LINK_REQUEST_SECONDS } from './link-request.repository.js';
import { recordName } from './single-sign-on.dto.js';

/**
 * Tells a user that a provider signs them in from now on, because it says that they have the same address.
 * @param isTakenOver whether everything else that opened the account has ended
 */
export const firstSignInMail = (recipient: string, provider: string, isTakenOver: boolean): NewMail =>
  letter(recipient, 'Your account is linked to an identity provider', NOTICE_SECONDS, [
    `someone with your email address has signed in through ${plainName(provider)}, the identity provider of your workspace.`,
    'From now on that sign-in opens your account.',
    ...(isTakenOver ? ['A password that was set for it, and sessions and API keys of before, no longer work.'] : []),
    '',
    'If that was you, there is nothing to do. If it was not, tell an administrator of your workspace at once.',
  ]);

/** Tells an owner that a sign-in waits for their decision. @param page where they decide */
export const linkRequestMail = (recipient: string, provider: string, address: string, page: string): NewMail =>
  letter(recipient, 'A sign-in is waiting for your decision', LINK_REQUEST_SECONDS, [
    `someone new signed in through ${plainName(provider)}, your workspace's identity provider, as ${address}.`,
    'A user of your workspace already has that address with another account at the provider, so it may have been given to',
    'a different person. Decide whether it is the same person:',
    '',
    page,
    '',
    'You have seven days. Until then they cannot sign in.',
  ]);

/** Tells a user that their address follows the provider. */
export const followedMail = (recipient: string, before: string, provider: string): NewMail =>
  letter(recipient, 'The email address of your account was changed', NOTICE_SECONDS, [
    `${plainName(provider)}, your workspace's identity provider, changed your address to this one. You can no longer sign in`,
    `with ${before}.`,
    '',
    'If that is wrong, contact an administrator of your workspace immediately.',
  ]);

/** Days for which a domain stays with a workspace after its record was found missing. */
export const GRACE_DAYS = 3;

/** Tells an administrator that the record that proves a domain is missing. @param domain proven, so a plain name */
export const recordMissingMail = (recipient: string, domain: string): NewMail =>
  letter(recipient, `The record of ${domain} is missing`, NOTICE_SECONDS, [
    `the TXT record ${recordName(domain)}, which proves that the domain ${domain} belongs to your workspace, was not`,
    `found. If it is not back within ${GRACE_DAYS} days, users with addresses of this domain can no longer sign in through your`,
    'identity provider. The workspace settings show what the record has to say.',
  ]);

/** Tells an administrator that a domain is no longer theirs. */
export const domainLostMail = (recipient: string, domain: string): NewMail =>
  letter(recipient, `${domain} is no longer a domain of your workspace`, NOTICE_SECONDS, [
    `the TXT record ${recordName(domain)} no longer proves that the domain ${domain} belongs to your workspace. Users with`,
    'addresses of this domain can no longer sign in through your identity provider. Add the record again and prove the domain',
    'in the workspace settings to let them in.',
  ]);
