const SIGN_IN = '/account/sign-in';

/** Where a sign-in ends: anyone who went on to it would wait for ever. As the router reads paths, of any case. */
const LEADS_BACK = /^\/+account\/+sign(-|ed-)in\/*$/i;

/** @returns the path, if it is one of this address; undefined for anything that leads elsewhere, or back to the sign-in */
export function ownPath(text: string | null | undefined): string | undefined {
  if (!text?.startsWith('/') || /[\\\s]/.test(text)) return undefined;
  const base = 'https://own.invalid';
  const { origin, pathname, search } = new URL(text, base);
  const isOwn = origin === base && !pathname.startsWith('//') && !LEADS_BACK.test(decoded(pathname));
  return isOwn ? pathname + search : undefined;
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch (error) {
    // An escape that is none belongs to no view.
    if (error instanceof URIError) return pathname;
    throw error;
  }
}

/** Where someone signs in who is to come back to where they are. */
export function signInPath({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const back = ownPath(pathname + search);
  return back === undefined || back === '/' ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(back)}`;
}
