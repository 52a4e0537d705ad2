import type { PasskeyOptions } from './sign-in.api.js';

/** Whether this browser has passkeys, and can read and write them as JSON. */
export const knowsPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/**
 * Asks the user for a passkey.
 * @returns the answer for the API; undefined when the user chose none
 */
export async function askForPasskey({ challengeId, publicKey }: PasskeyOptions): Promise<object | undefined> {
  try {
    const credential = await navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey),
    });
    return credential instanceof PublicKeyCredential ? { challengeId, credential: credential.toJSON() } : undefined;
  } catch (error) {
    // Browsers say no more, so that a page cannot learn whether there is one: cancelled, too late, or none there.
    if (error instanceof DOMException && error.name === 'NotAllowedError') return undefined;
    throw error;
  }
}
