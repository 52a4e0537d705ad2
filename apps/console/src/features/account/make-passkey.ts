import type { PasskeyOptions } from '../sign-in/passkey.js';

/** Why a browser has made no passkey: nobody agreed, or the device has one of the account already. */
export type NotMade = 'refused' | 'alreadyThere';

/** Returns whether this browser makes passkeys, and reads and writes them as JSON. */
export const makesPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

/** Has the browser make a passkey. @returns the answer for the API */
export async function makePasskey({ challengeId, publicKey }: PasskeyOptions): Promise<object | NotMade> {
  try {
    const options = PublicKeyCredential.parseCreationOptionsFromJSON(
      publicKey as PublicKeyCredentialCreationOptionsJSON,
    );
    const credential = await navigator.credentials.create({ publicKey: options });
    return credential instanceof PublicKeyCredential ? { challengeId, credential: credential.toJSON() } : 'refused';
  } catch (error) {
    // Cancelled, too late, or nobody verified: browsers say no more.
    if (error instanceof DOMException && error.name === 'NotAllowedError') return 'refused';
    if (error instanceof DOMException && error.name === 'InvalidStateError') return 'alreadyThere';
    throw error;
  }
}
