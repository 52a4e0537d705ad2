/** Where the user was when they went to their identity provider. */
const NAME = 'crm-account-return';

/** The one view that is worth returning to. Its id is no secret: only who is signed in can use it. */
const REQUEST = /^\/account\/authorize\?request=([\w-]{1,100})$/;

/** Keeps which request of an app was being looked at, for the time that the user is away. Never a token. */
export function keepReturn({ location, sessionStorage }: Pick<Window, 'location' | 'sessionStorage'>): void {
  const address = location.pathname + location.search;
  if (REQUEST.test(address)) sessionStorage.setItem(NAME, address);
}

/** @returns the id of the request to go on with, this once */
export function takeReturn({ sessionStorage }: Pick<Window, 'sessionStorage'>): string | undefined {
  const address = sessionStorage.getItem(NAME);
  sessionStorage.removeItem(NAME);
  return address === null ? undefined : REQUEST.exec(address)?.[1];
}
