import { domainToASCII } from 'node:url';
import { checkHostname } from '@crm/address-policy';
import { parse } from 'tldts';
import { PUBLIC_MAIL_DOMAINS } from './public-mail-domains.js';

/** The form in which a domain is stored and compared; the same as in addresses (accounts/user/email-address.ts). */
export const normaliseDomain = (text: string): string => domainToASCII(text.trim().toLowerCase().replace(/\.$/, ''));

/** The domain of a normalised address. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** Where the record that proves a domain stands. */
export const recordName = (domain: string): string => `_crm-challenge.${domain}`;

/**
 * Why no workspace can have a domain, whatever its records say; undefined for one that a workspace can prove.
 * @param domain normalised
 */
export function domainProblem(domain: string): string | undefined {
  if (!checkHostname(domain).ok) return 'This is not the name of a public domain';
  const { publicSuffix, isIcann, isPrivate, isIp } = parse(domain, { allowPrivateDomains: true });
  // Whoever can write below a suffix that others register names under would speak for all of them.
  if (isIp || publicSuffix === domain) return 'Others register names under this domain';
  if (!isIcann && !isPrivate) return 'This is not the name of a public domain';
  if (PUBLIC_MAIL_DOMAINS.has(domain)) return 'Anybody can have an address of this domain';
  return undefined;
}
