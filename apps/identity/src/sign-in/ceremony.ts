import { PlatformError } from '@crm/contracts';
import { Logger } from '@nestjs/common';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { ALGORITHMS, type RelyingParty } from './relying-party.js';

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

export interface Assertion {
  readonly counter: number;
  readonly backedUp: boolean;
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
): Promise<Assertion> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await judged(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: true,
      // The library compares the counter before the signature; 0 leaves it to whoever calls, who then knows that the key is right.
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
  return new PlatformError('INVALID_CREDENTIALS', 'The passkey is not accepted');
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
  if (!isText || !/^[\w-]+$/.test(value)) throw refused('A member is not base64url');
  return value;
}

/** Hints that go back to browsers as they came; unknown ones are allowed (WebAuthn, 5.8.4). */
function transportsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const isName = (item: unknown): item is string => typeof item === 'string' && /^[a-z-]{1,20}$/.test(item);
  return [...new Set(value.filter(isName))].slice(0, MOST_TRANSPORTS);
}
