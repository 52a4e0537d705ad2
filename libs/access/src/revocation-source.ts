import type { AccessTokenClaims } from '@crm/contracts';

/** Decides whether a token was revoked after it was issued. messaging implements it with the watched cut-offs. */
export abstract class RevocationSource {
  /** False until the first complete snapshot has arrived; until then every token is refused. */
  abstract readonly ready: boolean;

  /** Looked up on every use of a token, cached or not, so it must not do I/O. */
  abstract isRevoked(claims: AccessTokenClaims): boolean;

  /** Whether a tenant is suspended: no token of it is accepted, and what it has waits. Must not do I/O either. */
  isSuspended(_tenantId: string): boolean {
    return false;
  }

  /** The suspended tenants, for work that leaves theirs alone. */
  suspendedTenants(): readonly string[] {
    return [];
  }

  /**
   * Whether a signing key was taken out of force before its time. Looked up on every use of a token too.
   * @param id `kid` of the key
   */
  isKeyRevoked(_id: string): boolean {
    return false;
  }
}
