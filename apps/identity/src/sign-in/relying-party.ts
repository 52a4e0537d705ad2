import { isIP } from 'node:net';
import { parseUrl } from '@crm/address-policy';

// What browsers send of a passkey, checked by @simplewebauthn/server. It is loaded with the first passkey: 15 MiB and some 400 ms
// that a process without passkeys does not spend.

/** COSE algorithms: ES256, EdDSA, RS256. What the options offer, and all that is accepted. */
export const ALGORITHMS = [-7, -8, -257];

/** Where passkeys are used, in the words of WebAuthn. */
export interface RelyingParty {
  /** The domain that passkeys are bound to: that of the origins, or one above them. */
  readonly id: string;
  /** The pages that may use them, such as `https://crm.example.com`. */
  readonly origins: readonly string[];
}

export interface RelyingPartySettings {
  /** Empty: the origin of `address`. */
  readonly origins: readonly string[];
  /** Undefined: the domain of the first origin. */
  readonly id: string | undefined;
  readonly address: string | undefined;
}

const LOOPBACK = ['127.0.0.1', '[::1]'];

/** What follows from the address is left out where browsers would not have it. @returns null for no passkeys */
export function relyingParty({ origins, id, address }: RelyingPartySettings): RelyingParty | null {
  if (origins.length > 0) return { id: id ?? parseUrl(origins[0] ?? '')?.hostname ?? '', origins };
  const url = parseUrl(address ?? '');
  if (url === undefined) return null;
  if (LOOPBACK.includes(url.hostname)) url.hostname = 'localhost';
  const party = { id: id ?? url.hostname, origins: [url.origin] };
  return id === undefined && problemsOf(party).length > 0 ? null : party;
}

/** @returns one problem for each origin that a browser would refuse */
export function problemsOf({ id, origins }: RelyingParty): string[] {
  return origins.flatMap((origin) => {
    const url = parseUrl(origin);
    if (url?.origin !== origin) return [`"${origin}" is not an origin such as https://crm.example.com`];
    if (url.protocol !== 'https:' && url.hostname !== 'localhost') return [`"${origin}" must begin with https://`];
    const isWithin = url.hostname === id || url.hostname.endsWith(`.${id}`);
    return isWithin && !isAddress(id) ? [] : [`"${origin}" is not within the domain "${id}"`];
  });
}

const isAddress = (hostname: string): boolean => isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
