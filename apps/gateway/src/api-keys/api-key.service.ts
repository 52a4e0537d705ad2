import { API_KEY_PREFIX, apiKeyFingerprint, readApiKey, TokenVerifier } from '@crm/access';
import type { Principal } from '@crm/context';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiKeyIssuer } from './api-key-issuer.js';
import { KeyTokens } from './key-tokens.js';

/** An `Authorization` header with a key, as nearly every client writes it. */
const HEADER = `Bearer ${API_KEY_PREFIX}`;
const SCHEME_LENGTH = 'Bearer '.length;
const AUDIENCE = [AUDIENCES.api];

/**
 * Puts an access token in the place of an API key: services see tokens only. The token is used again for a minute, and each use
 * checks whether it has been cut off, as for every token (docs/decisions/0197-api-keys-become-tokens-at-the-edge.md).
 */
@Injectable()
export class ApiKeyService {
  private readonly tokens = new KeyTokens();

  constructor(
    private readonly verifier: TokenVerifier,
    private readonly issuer: ApiKeyIssuer,
  ) {}

  /** Whether a bearer token is an API key, or wants to be one. */
  isKey(bearer: string): boolean {
    return bearer.startsWith(API_KEY_PREFIX);
  }

  /**
   * The principal of a key that was used before, at once; undefined for one that has to be exchanged, and for anything else.
   * @throws PlatformError SERVICE_UNAVAILABLE while cut-offs are missing
   */
  recall(request: FastifyRequest): Principal | undefined {
    const header = request.headers.authorization;
    if (!header?.startsWith(HEADER)) return undefined;
    const fingerprint = apiKeyFingerprint(header.slice(SCHEME_LENGTH));
    const token = this.tokens.get(fingerprint);
    const principal = token === undefined ? undefined : this.recallToken(token, fingerprint);
    if (principal) carry(request, principal);
    return principal;
  }

  /**
   * The principal of a key, exchanged when no token for it is at hand.
   * @throws PlatformError INVALID_API_KEY; SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED while identity does not answer
   */
  async exchange(request: FastifyRequest, key: string): Promise<Principal> {
    const ids = readApiKey(key);
    if (!ids) throw new PlatformError('INVALID_API_KEY');
    const fingerprint = apiKeyFingerprint(key);
    const atHand = this.tokens.get(fingerprint);
    const principal =
      (atHand === undefined ? undefined : this.recallToken(atHand, fingerprint)) ??
      (await this.verify(
        await this.tokens.obtain(fingerprint, () =>
          this.issuer.exchange({ ...ids, fingerprint, address: request.ip }),
        ),
        fingerprint,
      ));
    carry(request, principal);
    return principal;
  }

  private recallToken(token: string, fingerprint: string): Principal | undefined {
    try {
      return this.verifier.recall(token, AUDIENCE);
    } catch (error) {
      if (!isAboutToken(error)) throw error;
      // Cut off: the key has ended, or the rights of its owner have changed. Asking again tells which.
      this.tokens.forget(fingerprint);
      return undefined;
    }
  }

  private async verify(token: string, fingerprint: string): Promise<Principal> {
    try {
      return await this.verifier.verify(token, AUDIENCE);
    } catch (error) {
      if (!isAboutToken(error)) throw error;
      // The key ended while its token was on the way.
      this.tokens.forget(fingerprint);
      throw new PlatformError('INVALID_API_KEY', undefined, { cause: error });
    }
  }
}

/** What is forwarded is the token; the key goes no further than here. */
function carry(request: FastifyRequest, { token }: Principal): void {
  request.headers.authorization = `Bearer ${token}`;
}

const isAboutToken = (error: unknown): boolean => error instanceof PlatformError && error.status === 401;
