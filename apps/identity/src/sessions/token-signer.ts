import { sign } from 'node:crypto';
import { RevocationSource, uuidTimeMs } from '@crm/access';
import {
  ACCESS_TOKEN_SECONDS,
  ACCESS_TOKEN_TYPE,
  type AccessTokenClaims,
  PlatformError,
  type TokenPair,
} from '@crm/contracts';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { SigningKeyService } from './signing-key.service.js';

/** What the caller decides about a token; issuer, times and id are the signer's. */
export type TokenContent = Omit<AccessTokenClaims, 'iss' | 'iat' | 'exp' | 'jti'>;

/**
 * Signs access tokens (RFC 9068 profile) as JWS in compact form (RFC 7515, section 7.1). Only identity holds private keys.
 *
 * With Node's synchronous signature, not with jose, which verifies: Web Crypto hands each signature to a thread and back, which
 * took twice the processor time of the signature itself (decision record 0188).
 */
@Injectable()
export class TokenSigner {
  private header = { kid: '', text: '' };

  constructor(
    private readonly keys: SigningKeyService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
    /** None in a program beside the service, which signs nothing. */
    @Optional() @Inject(RevocationSource) private readonly revocations?: RevocationSource,
  ) {}

  /**
   * Whether a tenant gets tokens: not while it is suspended. Looked up in memory, so that it costs a mint nothing. What a process
   * signs in the moment before it learns of a suspension is accepted nowhere.
   */
  issuesFor(tenantId: string): boolean {
    return this.revocations?.isSuspended(tenantId) !== true;
  }

  /** For what would otherwise be changed or stored before {@link sign} refuses. @throws PlatformError WORKSPACE_SUSPENDED */
  assertIssuesFor(tenantId: string): void {
    if (!this.issuesFor(tenantId)) throw new PlatformError('WORKSPACE_SUSPENDED');
  }

  /**
   * @param lifetimeSeconds how long the token is valid from its id's time on
   * @param jti the token's id, a UUIDv7 made before the rights in `content` were read: a change of them that commits after
   *   the reading has a later cut-off and so ends this token
   * @throws PlatformError WORKSPACE_SUSPENDED
   */
  async sign(content: TokenContent, lifetimeSeconds: number, jti: string): Promise<string> {
    if (content.tid !== undefined) this.assertIssuesFor(content.tid);
    const { kid, key } = await this.keys.signingKey(content.aud);
    // One clock reading for both: revocation compares the millisecond in the id.
    const iat = Math.floor(uuidTimeMs(jti) / 1000);
    const claims = { ...content, iss: this.config.service.issuer, iat, exp: iat + lifetimeSeconds, jti };
    const input = `${this.headerOf(kid)}.${base64url(claims)}`;
    return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
  }

  /** The same for every token of a key. */
  private headerOf(kid: string): string {
    if (this.header.kid !== kid) {
      this.header = { kid, text: base64url({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid }) };
    }
    return this.header.text;
  }

  /** Signs the access token of a session and puts its refresh token beside it. {@link sign} describes `jti`. */
  async signPair(
    content: TokenContent,
    refreshToken: string,
    jti: string,
    lifetimeSeconds = ACCESS_TOKEN_SECONDS,
  ): Promise<TokenPair> {
    const accessToken = await this.sign(content, lifetimeSeconds, jti);
    return { accessToken, refreshToken, tokenType: 'Bearer', expiresIn: lifetimeSeconds };
  }
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
