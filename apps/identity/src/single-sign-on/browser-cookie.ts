import { newSecret } from '../secret.js';
import { SIGN_IN_SECONDS } from './provider-sign-in.repository.js';

/**
 * The cookie that ties a sign-in to the browser that began it, so that nobody is signed in to the account of somebody who sent
 * them a link (login CSRF). `__Host-`: a browser accepts it from this very host only (RFC 6265bis, section 4.1.3.2); Lax:
 * it comes along when the provider sends the browser back. The gateway forwards this cookie and no other.
 */
const NAME = '__Host-crm-sign-in';

const VALUE = /^[\w-]{43}$/;

/** What the browser presents; undefined without the cookie. @param header `Cookie` */
export function presentedCookie(header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  const values = pairs.filter(([name]) => name === NAME).map(([, value]) => value);
  // Two would mean that one was planted.
  return values.length === 1 && VALUE.test(values[0] ?? '') ? values[0] : undefined;
}

/** The value to tie a new sign-in to: the present one, so that sign-ins in two tabs do not end each other. */
export const cookieFor = (header: string | undefined): string => presentedCookie(header) ?? newSecret();

/** `Set-Cookie` */
export const setCookie = (value: string): string =>
  `${NAME}=${value}; Path=/; Max-Age=${SIGN_IN_SECONDS}; Secure; HttpOnly; SameSite=Lax`;
