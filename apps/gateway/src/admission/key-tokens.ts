import { PlatformError, type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { counter } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

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
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many API keys are being checked', { retryAfterSeconds: 1 });
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
