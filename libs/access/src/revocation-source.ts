import type { AccessTokenClaims } from '@crm/contracts';

/** Tells whether a token was revoked after it was issued. messaging implements it over the watched cut-offs. */
export abstract class RevocationSource {
  /** False until the first complete snapshot has arrived; nothing is verified before that. */
  abstract readonly ready: boolean;

  /** Looked up on every use of a token, cached or not, so it must not do I/O. */
  abstract isRevoked(claims: AccessTokenClaims): boolean;
}
