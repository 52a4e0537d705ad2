const SIGN_IN = '/account/sign-in';

/** @returns the path, if it is one of this address; undefined for anything that leads elsewhere */
export function ownPath(text: string | null | undefined): string | undefined {
  if (!text?.startsWith('/') || /[\\\s]/.test(text)) return undefined;
  const base = 'https://own.invalid';
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && !pathname.startsWith('//') ? pathname + search : undefined;
}

/** Where somebody signs in who is to come back to where they are. */
export function signInPath({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const back = ownPath(pathname + search);
  return back === undefined || back === '/' ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(back)}`;
}
