/** What the address says: which view, and with what. */
export interface PageAddress {
  /** Without a slash at the end. */
  readonly path: string;
  /** What a mail or a sign-in elsewhere has handed over, behind `#`. It is taken out of the address. */
  readonly token?: string;
  readonly code?: string;
  /** That a proof was noted, at a session that this page does not have. */
  readonly proof?: string;
  /** Why a sign-in elsewhere did not succeed: a code of the API. */
  readonly error?: string;
  readonly reason?: string;
}

/** Ids of requests, and the tokens that links carry. Anything else is not sent to anybody. */
const VALUE = /^[\w.~-]{1,500}$/;

/**
 * Reads the address, and drops what is secret in it at once: from the bar, from the entry of the history, and from what an
 * extension or a screenshot sees later. Nothing keeps it but the returned object.
 */
export function takePageAddress({ location, history }: Pick<Window, 'location' | 'history'>): PageAddress {
  const { pathname, search, hash } = location;
  const handedOver = new URLSearchParams(hash.slice(1));
  if (hash) history.replaceState(null, '', pathname + search);
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
  const names = ['token', 'code', 'proof', 'error', 'reason'];
  return { path, ...Object.fromEntries(names.map((name) => [name, parameterOf(handedOver, name)])) };
}

function parameterOf(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name);
  return value !== null && VALUE.test(value) ? value : undefined;
}

/** @returns the id of the request of an app, in the query */
export const requestOf = (search: string): string | undefined => parameterOf(new URLSearchParams(search), 'request');

/** Returns whether something was handed over, which a change of the fragment alone can do while the page is open. */
export const isHandedOver = ({ path: _path, ...handedOver }: PageAddress): boolean =>
  Object.values(handedOver).some((value) => value !== undefined);

/** The first address is taken before anything else of the page has seen it: main.tsx imports this first. */
export const START: PageAddress = typeof window === 'undefined' ? { path: '/' } : takePageAddress(window);
