import { ApplicationStrategy, type CredentialRequest } from '@crm/access';
import { fingerprintOf, PlatformError, type RpcResponse, rpc } from '@crm/contracts';
import { bodyOf, type HeaderDescription } from '@crm/http';
import { addressKey, Limiter, LimiterStore, LimitGroup } from '@crm/limits';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { EmbedSessionInput } from './embed-session.dto.js';

const WINDOW_SECONDS = 15 * 60;
/** Failed mints per client id and address. Higher than for people: a wrong secret is a mistake in a configuration. */
export const FAILURES_PER_CLIENT = 20;
/** Failed mints per address, whatever the client ids. */
export const FAILURES_PER_ADDRESS = 100;

/**
 * Counts mints with wrong credentials, never successful ones. The client id is public, because it is part of the embed
 * page's address, so it is counted together with the caller's address: nobody can lock out a host's backend from elsewhere.
 */
@Injectable()
export class MintLimit {
  private readonly limits: LimitGroup;

  constructor(store: LimiterStore) {
    const limiter = (name: string, points: number) =>
      new Limiter(store, { name, points, windowSeconds: WINDOW_SECONDS }, 'Too many attempts with wrong credentials');
    this.limits = new LimitGroup([
      limiter('mint-client', FAILURES_PER_CLIENT),
      limiter('mint-address', FAILURES_PER_ADDRESS),
    ]);
  }

  /**
   * @param mint rejects with INVALID_EMBED_CREDENTIALS when the credentials are wrong; anything else does not count
   * @throws PlatformError RATE_LIMITED, or what the mint rejects with
   */
  async attempt<T>(clientId: string, address: string, mint: () => Promise<T>): Promise<T> {
    const from = addressKey(address);
    const clientKey = JSON.stringify([clientId, from]);
    await this.limits.refuseExhausted(clientKey, from);
    try {
      return await mint();
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'INVALID_EMBED_CREDENTIALS') {
        await this.limits.penalise(clientKey, from);
      }
      throw error;
    }
  }
}

/** Longest credential that is checked; issued ones have fewer than 64 characters. */
const MAX_CREDENTIAL = 200;

/** What the strategy reads besides the body. */
export const EMBED_CLIENT_HEADERS: readonly HeaderDescription[] = [
  { name: 'X-Embed-Key', required: true, description: 'Client ID of the embedding app' },
  {
    name: 'X-Embed-Secret',
    required: true,
    description: "Secret of the embedding app. Send it only from the host's backend",
  },
];

export type MintedToken = RpcResponse<typeof rpc.identity.mintEmbedToken>;

/**
 * Authenticates the backend of a host by `X-Embed-Key` and `X-Embed-Secret`. identity keeps the credentials: it checks them
 * and mints in one call, so what is proven is the token. It is told a fingerprint of the secret: the broker sees no more.
 */
@Injectable()
export class EmbedClientStrategy extends ApplicationStrategy<MintedToken> {
  constructor(
    private readonly rpc: Rpc,
    private readonly limit: MintLimit,
  ) {
    super();
  }

  /**
   * @throws PlatformError VALIDATION_FAILED, INVALID_EMBED_CREDENTIALS, RATE_LIMITED, EMBED_USER_DISABLED,
   *   EMBED_SCOPE_DENIED, EMBED_APP_ENDED, EMBED_IDENTITY_CONFLICT, ROLE_NOT_GRANTABLE
   */
  override async validate({ body, headers, ip }: CredentialRequest): Promise<MintedToken> {
    const user = await bodyOf(EmbedSessionInput, body);
    const { 'x-embed-key': clientId, 'x-embed-secret': clientSecret } = headers;
    if (!isCredential(clientId) || !isCredential(clientSecret)) throw new PlatformError('INVALID_EMBED_CREDENTIALS');
    return this.limit.attempt(clientId, ip, () =>
      this.rpc.call(rpc.identity.mintEmbedToken, { ...user, clientId, fingerprint: fingerprintOf(clientSecret) }),
    );
  }
}

const isCredential = (value: string | undefined): value is string =>
  value !== undefined && value !== '' && value.length <= MAX_CREDENTIAL;
