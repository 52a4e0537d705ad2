import { uuidTimeMs } from '@crm/access';
import { ACCESS_TOKEN_SECONDS, ACCESS_TOKEN_TYPE, type AccessTokenClaims, type TokenPair } from '@crm/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { SigningKeyService } from './signing-key.service.js';

/** What the caller decides about a token; issuer, times and id are the signer's. */
export type TokenContent = Omit<AccessTokenClaims, 'iss' | 'iat' | 'exp' | 'jti'>;

/** Signs access tokens (RFC 9068 profile). Only identity holds private keys. */
@Injectable()
export class TokenSigner {
  constructor(
    private readonly keys: SigningKeyService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * @param lifetimeSeconds how long the token is valid from its id's time on
   * @param jti the token's id, a UUIDv7 made before the rights in `content` were read: a change of them that commits after
   *   the reading has a later cut-off and so ends this token
   */
  async sign(content: TokenContent, lifetimeSeconds: number, jti: string): Promise<string> {
    const { kid, key } = await this.keys.signingKey(content.aud);
    // One clock reading for both: revocation compares the millisecond in the id.
    const iat = Math.floor(uuidTimeMs(jti) / 1000);
    return new SignJWT({ ...content })
      .setProtectedHeader({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid })
      .setIssuer(this.config.service.issuer)
      .setIssuedAt(iat)
      .setExpirationTime(iat + lifetimeSeconds)
      .setJti(jti)
      .sign(key);
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
