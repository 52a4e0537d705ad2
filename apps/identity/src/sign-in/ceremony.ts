import { isIP } from 'node:net';
import { parseUrl } from '@crm/address-policy';
import { isBase64url, PlatformError } from '@crm/contracts';
import { Logger } from '@nestjs/common';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** Far more than browsers send: an id has 1023 bytes at most (WebAuthn, 4), an RSA key of 4096 bits 1.4 KB in base64url. */
const MOST_CHARACTERS = 8192;
const MOST_TRANSPORTS = 8;

export type CredentialJson = Readonly<Record<string, unknown>>;

export interface NewCredential {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly transports: string[];
}

const logger = new Logger('Passkeys');

export function parseRegistration(credential: CredentialJson): RegistrationResponseJSON {
  const { clientDataJSON, attestationObject, transports } = objectOf(credential.response);
  return {
    ...headOf(credential),
    response: {
      clientDataJSON: base64url(clientDataJSON),
      attestationObject: base64url(attestationObject),
      transports: transportsOf(transports),
    },
  };
}

export function parseAssertion(credential: CredentialJson): AuthenticationResponseJSON {
  const { clientDataJSON, authenticatorData, signature, userHandle } = objectOf(credential.response);
  return {
    ...headOf(credential),
    response: {
      clientDataJSON: base64url(clientDataJSON),
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
      ...(userHandle !== undefined && userHandle !== null && { userHandle: base64url(userHandle) }),
    },
  };
}

/** @throws PlatformError INVALID_CREDENTIALS, also for a page within a frame of another origin: there are none */
export function challengeIn({ clientDataJSON }: { readonly clientDataJSON: string }): string {
  let clientData: unknown;
  try {
    clientData = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refused('clientDataJSON is not JSON');
  }
  const { challenge, crossOrigin } = objectOf(clientData);
  if (crossOrigin === true) throw refused('It was used in a frame of another origin');
  if (typeof challenge !== 'string') throw refused('There is no challenge in clientDataJSON');
  return challenge;
}

/** Certificates are not looked at: the library would fetch revocation lists from addresses that the client chose. */
export async function verifyRegistration(
  response: RegistrationResponseJSON,
  challenge: string,
  party: RelyingParty,
): Promise<NewCredential> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const verified = await judged(async () => {
    const statement = decodeAttestationObject(Buffer.from(response.response.attestationObject, 'base64url'));
    const hasCertificate = statement.get('attStmt').get('x5c') !== undefined;
    const format = statement.get('fmt');
    // `packed` without a certificate is signed by the new key itself; browsers leave it as it is when none is asked for.
    if (hasCertificate || !['none', 'packed'].includes(format))
      throw new Error(`Attestation "${format}" was not asked for`);
    return verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
  });
  if (!verified.verified) throw refused('The attestation is wrong');
  const { credential, credentialBackedUp } = verified.registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    backedUp: credentialBackedUp,
    transports: response.response.transports ?? [],
  };
}

export async function verifyAssertion(
  response: AuthenticationResponseJSON,
  challenge: string,
  party: RelyingParty,
  publicKey: Buffer,
): Promise<Pick<NewCredential, 'counter' | 'backedUp'>> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await judged(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: true,
      // The library compares the counter before the signature; 0 leaves it to the caller, who then knows that the key is right.
      credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter: 0 },
    }),
  );
  if (!verified) throw refused('The signature is wrong');
  return { counter: authenticationInfo.newCounter, backedUp: authenticationInfo.credentialBackedUp };
}

/** The library throws plain errors, for whatever is wrong with what the client sent. */
async function judged<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

/** @param reason for the log; the client is told no more than that it was refused */
function refused(reason: string): PlatformError {
  logger.warn({ msg: 'A passkey was refused', reason: reason.slice(0, 300) });
  return new PlatformError('INVALID_CREDENTIALS', "The passkey wasn't accepted");
}

const headOf = ({ id, rawId, type }: CredentialJson) => {
  if (type !== 'public-key') throw refused('Its type is not public-key');
  return { id: base64url(id), rawId: base64url(rawId), type: 'public-key' as const, clientExtensionResults: {} };
};

function objectOf(value: unknown): CredentialJson {
  if (typeof value !== 'object' || value === null) throw refused('An object is missing');
  return value as CredentialJson;
}

function base64url(value: unknown): string {
  const isText = typeof value === 'string' && value.length > 0 && value.length <= MOST_CHARACTERS;
  if (!isText || !isBase64url(value)) throw refused('A member is not base64url');
  return value;
}

/** Hints that go back to browsers as they came; unknown ones are allowed (WebAuthn, 5.8.4). */
function transportsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const isName = (item: unknown): item is string => typeof item === 'string' && /^[a-z-]{1,20}$/.test(item);
  return [...new Set(value.filter(isName))].slice(0, MOST_TRANSPORTS);
}

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
