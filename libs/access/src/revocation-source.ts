import type { AccessTokenClaims } from '@crm/contracts';

/** Decides whether a token was revoked after it was issued. messaging implements it with the watched cut-offs. */
export abstract class RevocationSource {
  /** False until the first complete snapshot has arrived; until then every token is refused. */
  abstract readonly ready: boolean;

  /** Looked up on every use of a token, cached or not, so it must not do I/O. */
  abstract isRevoked(claims: AccessTokenClaims): boolean;

  /**
   * Whether a signing key was taken out of force before its time. Looked up on every use of a token too.
   * @param id `kid` of the key
   */
  isKeyRevoked(_id: string): boolean {
    return false;
  }
}
