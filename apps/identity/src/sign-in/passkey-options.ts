import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { packIds, unpackIds } from '../packed-ids.js';
import { ALGORITHMS } from './ceremony.js';
import type { Passkey } from './passkey.entity.js';
import { CHALLENGE_SECONDS, type PasskeyChallenge } from './passkey-challenge.service.js';
import type { RelyingParty } from './relying-party.js';

/** Shown by browsers when a passkey is set up. */
const NAME = 'CRM platform';

const TIMEOUT_MS = CHALLENGE_SECONDS * 1000;

/** Options for a browser, and what is sent back with its answer. */
export interface PasskeyOptions<Options extends object> {
  readonly challengeId: string;
  readonly expiresIn: number;
  /** For `PublicKeyCredential.parse…OptionsFromJSON()`. */
  readonly publicKey: Options;
}

/** Whose passkey is set up. */
export interface PasskeyHolder {
  readonly tenantId: string;
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/**
 * What the authenticator keeps of the account and presents at each sign-in: the ids of tenant and user, which say nothing about
 * a person. So an account is found without its address, and without a table that crosses tenants.
 */
const userHandle = ({ tenantId, id }: PasskeyHolder): string => packIds(tenantId, id);

/** @returns tenant and user, undefined for a text that no authenticator got from here */
export function readUserHandle(handle: string): { tenantId: string; userId: string } | undefined {
  const [tenantId, userId] = unpackIds(handle, 2) ?? [];
  return tenantId && userId ? { tenantId, userId } : undefined;
}

/** @param existing passkeys of the account: their authenticators are not offered again */
export function registrationOptions(
  party: RelyingParty,
  { challengeId, challenge }: PasskeyChallenge,
  holder: PasskeyHolder,
  existing: readonly Passkey[],
): PasskeyOptions<PublicKeyCredentialCreationOptionsJSON> {
  return withChallenge(challengeId, {
    rp: { id: party.id, name: NAME },
    user: { id: userHandle(holder), name: holder.email, displayName: holder.name },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: existing.map(descriptor),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  });
}

/** @param allowed the passkeys to choose from; empty where nobody is known yet: the authenticator offers those that it has */
export function assertionOptions(
  party: RelyingParty,
  { challengeId, challenge }: PasskeyChallenge,
  allowed: readonly Passkey[],
): PasskeyOptions<PublicKeyCredentialRequestOptionsJSON> {
  return withChallenge(challengeId, {
    rpId: party.id,
    challenge,
    timeout: TIMEOUT_MS,
    allowCredentials: allowed.map(descriptor),
    userVerification: 'required',
  });
}

const withChallenge = <Options extends object>(challengeId: string, publicKey: Options): PasskeyOptions<Options> => ({
  challengeId,
  expiresIn: CHALLENGE_SECONDS,
  publicKey,
});

const descriptor = ({ credentialId, transports }: Passkey) => ({
  id: credentialId.toString('base64url'),
  type: 'public-key' as const,
  transports,
});
