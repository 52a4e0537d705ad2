import { API_KEY_PREFIX, apiKeyFingerprint, type Principal, readApiKey, TokenVerifier } from '@crm/access';
import { AUDIENCES, PlatformError, type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { counter } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isAboutToken } from './rate-limit.service.js';

export type KeyPresented = RpcRequest<typeof rpc.identity.exchangeApiKey>;
export type TokenOfKey = RpcResponse<typeof rpc.identity.exchangeApiKey>;

/** Where API keys are exchanged for access tokens. */
export abstract class ApiKeyIssuer {
  /** @throws PlatformError INVALID_API_KEY, SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED */
  abstract exchange(presented: KeyPresented): Promise<TokenOfKey>;
}

@Injectable()
export class IdentityApiKeyIssuer extends ApiKeyIssuer {
  constructor(private readonly rpcs: Rpc) {
    super();
  }

  override exchange(presented: KeyPresented): Promise<TokenOfKey> {
    return this.rpcs.call(rpc.identity.exchangeApiKey, presented);
  }
}

const exchanges = counter(
  'gateway_api_key_exchanges_total',
  'API keys for which identity was asked, by the outcome: accepted, refused, or failed without an answer',
  ['outcome'],
);

/** The most that a change of rights could go unnoticed if no cut-off told of it. */
const KEPT_MS = 60_000;
/** For which a key that identity refused is refused without asking again. */
const REFUSED_MS = 10_000;
/** Keys remembered by one process, at about 1.5 KiB each; the least recently used is evicted first. */
const REMEMBERED = 10_000;
/** Apart from those that are valid, so that invented keys evict none of them. */
const REMEMBERED_REFUSALS = 10_000;
const MOST_UNDER_WAY = 1_000;

/** The tokens that keys were exchanged for, by the SHA-256 of the key: a copy of the memory contains no key. */
export class KeyTokens {
  private readonly kept = new LRUCache<string, { readonly token: string; readonly untilMs: number }>({
    max: REMEMBERED,
  });
  private readonly refused = new LRUCache<string, number>({ max: REMEMBERED_REFUSALS });
  private readonly underWay = new Map<string, Promise<string>>();

  /** @param now Unix time in milliseconds */
  constructor(private readonly now: () => number = Date.now) {}

  get(fingerprint: string): string | undefined {
    const entry = this.kept.get(fingerprint);
    if (entry === undefined || entry.untilMs > this.now()) return entry?.token;
    this.kept.delete(fingerprint);
    return undefined;
  }

  /** The token has been cut off or has expired: the next request asks again, and learns what the key is worth now. */
  forget(fingerprint: string): void {
    this.kept.delete(fingerprint);
  }

  /**
   * The token of a key, asked for once, however many requests wait for it.
   * @throws PlatformError INVALID_API_KEY; SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED while identity does not answer
   */
  obtain(fingerprint: string, exchange: () => Promise<TokenOfKey>): Promise<string> {
    if ((this.refused.get(fingerprint) ?? 0) > this.now()) throw new PlatformError('INVALID_API_KEY');
    const waiting = this.underWay.get(fingerprint);
    if (waiting) return waiting;
    if (this.underWay.size >= MOST_UNDER_WAY) {
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many API keys are being checked. Try again in a second', {
        retryAfterSeconds: 1,
      });
    }
    const asked = this.ask(fingerprint, exchange).finally(() => this.underWay.delete(fingerprint));
    this.underWay.set(fingerprint, asked);
    return asked;
  }

  private async ask(fingerprint: string, exchange: () => Promise<TokenOfKey>): Promise<string> {
    // From when it was asked for: what was true then may have changed while the answer was on its way.
    const askedMs = this.now();
    try {
      const { token, expiresIn } = await exchange();
      exchanges.inc({ outcome: 'accepted' });
      this.kept.set(fingerprint, { token, untilMs: askedMs + Math.min(KEPT_MS, expiresIn * 1000) });
      return token;
    } catch (error) {
      const isRefusal = error instanceof PlatformError && error.code === 'INVALID_API_KEY';
      exchanges.inc({ outcome: isRefusal ? 'refused' : 'failed' });
      if (isRefusal) this.refused.set(fingerprint, this.now() + REFUSED_MS);
      throw error;
    }
  }
}

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

  /** Like {@link recall}, also for a token that the verifier has forgotten. */
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
