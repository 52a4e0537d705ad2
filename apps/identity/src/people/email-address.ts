import { domainToASCII } from 'node:url';

/** Local parts are case-sensitive on paper (RFC 5321, section 2.4) but nowhere in practice. */
export function normaliseEmail(email: string): string {
  const text = email.trim().normalize('NFC').toLowerCase();
  const at = text.lastIndexOf('@');
  if (at < 0) return text;
  const domain = text.slice(at + 1);
  return `${text.slice(0, at)}@${domainToASCII(domain) || domain}`;
}
