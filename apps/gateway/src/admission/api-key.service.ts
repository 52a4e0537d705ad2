import { API_KEY_PREFIX, apiKeyFingerprint, type Principal, readApiKey, TokenVerifier } from '@crm/access';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiKeyIssuer, type KeyPresented, KeyTokens } from './key-tokens.js';
import { isAboutToken } from './rate-limit.service.js';

/** An `Authorization` header with a key, as nearly every client writes it. */
const HEADER = `Bearer ${API_KEY_PREFIX}`;
/** With every spelling of the scheme, and whatever follows. */
const WANTS_TO_BE_KEY = /^bearer +crmk_/i;
const SCHEME_LENGTH = 'Bearer '.length;
const AUDIENCE = [AUDIENCES.api];

/** Services see tokens only. That of a key is used for a minute; each use checks whether it has been cut off (record 0197). */
@Injectable()
export class ApiKeyService {
  private readonly tokens = new KeyTokens();

  constructor(
    private readonly verifier: TokenVerifier,
    private readonly issuer: ApiKeyIssuer,
  ) {}

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
    if (token === undefined) return undefined;
    try {
      const principal = this.verifier.recall(token, AUDIENCE);
      if (principal) carry(request, principal);
      return principal;
    } catch (error) {
      this.forgetCutOff(error, fingerprint);
      return undefined;
    }
  }

  /** @throws PlatformError INVALID_API_KEY; SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED while identity does not answer */
  async exchange(request: FastifyRequest, key: string): Promise<Principal> {
    const ids = readApiKey(key);
    if (!ids) throw new PlatformError('INVALID_API_KEY');
    const fingerprint = apiKeyFingerprint(key);
    const principal =
      (await this.verifyKept(fingerprint)) ?? (await this.obtain({ ...ids, fingerprint, address: request.ip }));
    carry(request, principal);
    return principal;
  }

  /** Takes a key off a request of which no token is looked at. */
  withhold(request: FastifyRequest): void {
    if (WANTS_TO_BE_KEY.test(request.headers.authorization ?? '')) request.headers.authorization = undefined;
  }

  /** As {@link recall}, also for a token that the verifier has forgotten. */
  private async verifyKept(fingerprint: string): Promise<Principal | undefined> {
    const token = this.tokens.get(fingerprint);
    if (token === undefined) return undefined;
    try {
      return await this.verifier.verify(token, AUDIENCE);
    } catch (error) {
      this.forgetCutOff(error, fingerprint);
      return undefined;
    }
  }

  /** The key has ended, or the rights of its owner have changed: asking again tells which. */
  private forgetCutOff(error: unknown, fingerprint: string): void {
    if (!isAboutToken(error)) throw error;
    this.tokens.forget(fingerprint);
  }

  /** @throws PlatformError INVALID_API_KEY; SERVICE_UNAVAILABLE, also for a token that is cut off already */
  private async obtain(presented: KeyPresented): Promise<Principal> {
    const token = await this.tokens.obtain(presented.fingerprint, () => this.issuer.exchange(presented));
    try {
      return await this.verifier.verify(token, AUDIENCE);
    } catch (error) {
      if (!isAboutToken(error)) throw error;
      // It changed while the token was on the way; whether it is still valid is for identity to say, at the next attempt.
      const extra = { retryAfterSeconds: 1, cause: error };
      throw new PlatformError('SERVICE_UNAVAILABLE', 'The API key has just changed', extra);
    }
  }
}

/** What is forwarded is the token; the key goes no further than here. */
function carry(request: FastifyRequest, { token }: Principal): void {
  request.headers.authorization = `Bearer ${token}`;
}
