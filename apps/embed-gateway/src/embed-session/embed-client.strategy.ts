import { ApplicationStrategy, type CredentialRequest } from '@crm/access';
import { fingerprintOf, PlatformError, type RpcResponse, rpc } from '@crm/contracts';
import { bodyOf, type HeaderDescription } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { EmbedSessionInput } from './embed-session.dto.js';
import { MintLimit } from './mint-limit.js';

/** Longest credential that is checked; issued ones have fewer than 64 characters. */
const MAX_CREDENTIAL = 200;

/** What the strategy reads besides the body. */
export const EMBED_CLIENT_HEADERS: readonly HeaderDescription[] = [
  { name: 'X-Embed-Key', required: true, description: 'Client id of the embedding app' },
  {
    name: 'X-Embed-Secret',
    required: true,
    description: 'Secret of the embedding app; only the backend of the host sends it',
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
   *   EMBED_SCOPE_DENIED, EMBED_IDENTITY_CONFLICT
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
