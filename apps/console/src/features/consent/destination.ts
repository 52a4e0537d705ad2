/** A private scheme is a reversed domain name (RFC 8252, section 7.1), which no scheme of a browser is. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/**
 * Where the answer to a request goes, as the API says: pages, or an app on this device. Everything else is refused, above all
 * what would run or show something with the rights of this page.
 * @throws Error
 */
export function destination(text: string): string {
  const { protocol, href } = new URL(text);
  if (protocol === 'https:' || protocol === 'http:' || PRIVATE_SCHEME.test(protocol)) return href;
  throw new Error(`The answer cannot go to an address with ${protocol}`);
}
