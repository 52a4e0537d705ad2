import { ownPath } from '../../session/way-back.js';

const NAME = 'crm-account-return';

/** The one view with a sign-in of its own that is worth returning to. Its id is no secret: only who is signed in can use it. */
const REQUEST = /^\/account\/authorize\?request=[\w-]{1,100}$/;

/** Where a sign-in leads, by the address that it is made at: never one with a token. */
export function nextOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string | undefined {
  if (REQUEST.test(pathname + search)) return pathname + search;
  return pathname === '/account/sign-in' ? ownPath(new URLSearchParams(search).get('next')) : undefined;
}

/** Keeps where a sign-in leads for the time that the user is away at their identity provider. */
export function keepReturn({ location, sessionStorage }: Pick<Window, 'location' | 'sessionStorage'>): void {
  const next = nextOf(location);
  if (next !== undefined) sessionStorage.setItem(NAME, next);
}

/** @returns where to go on, this once */
export function takeReturn({ sessionStorage }: Pick<Window, 'sessionStorage'>): string | undefined {
  const next = ownPath(sessionStorage.getItem(NAME));
  sessionStorage.removeItem(NAME);
  return next;
}
