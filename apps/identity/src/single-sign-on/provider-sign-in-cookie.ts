import { newSecret } from '../secrets.js';
import { presentedCookie } from '../sign-in/browser-cookie.js';
import { SIGN_IN_SECONDS } from './provider-sign-in.repository.js';

/**
 * The cookie that ties a sign-in to the browser that began it, so that nobody is signed in to the account of someone who sent
 * them a link (login CSRF). `__Host-`: a browser accepts it from this very host only (RFC 6265bis, section 4.1.3.2); Lax:
 * it comes along when the provider sends the browser back.
 */
export const SIGN_IN_COOKIE = '__Host-crm-sign-in';

/** The value to tie a new sign-in to: the present one, so that sign-ins in two tabs do not end each other. */
export const cookieFor = (header: string | undefined): string => presentedCookie(SIGN_IN_COOKIE, header) ?? newSecret();

/** `Set-Cookie` */
export const setCookie = (value: string): string =>
  `${SIGN_IN_COOKIE}=${value}; Path=/; Max-Age=${SIGN_IN_SECONDS}; Secure; HttpOnly; SameSite=Lax`;
