import { sign } from 'node:crypto';
import { RevocationSource, uuidTimeMs } from '@crm/access';
import { ACCESS_TOKEN_TYPE, type AccessTokenClaims, PlatformError } from '@crm/contracts';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { SigningKeyService } from './signing-key.service.js';

/** What the caller decides about a token; issuer, times and id are the signer's. */
export type TokenContent = Omit<AccessTokenClaims, 'iss' | 'iat' | 'exp' | 'jti'>;

/** Who acts, in the token of an installation: what it reaches is decided by the installation. */
export const actorOf = (of: {
  appKey: string;
  installationId: string;
  sandbox?: boolean;
}): AccessTokenClaims['act'] => ({
  sub: of.appKey,
  installation_id: of.installationId,
  ...(of.sandbox && { sandbox: true }),
});

/** Signs synchronously with Node: Web Crypto took twice the processor time (decision record 0188). */
@Injectable()
export class TokenSigner {
  private header = { kid: '', text: '' };

  constructor(
    private readonly keys: SigningKeyService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
    /** None in a program beside the service, which signs nothing. */
    @Optional() @Inject(RevocationSource) private readonly revocations?: RevocationSource,
  ) {}

  /** Looked up in memory: it costs a mint nothing. What is signed before a suspension is known is accepted nowhere. */
  issuesFor(tenantId: string): boolean {
    return this.revocations?.isSuspended(tenantId) !== true;
  }

  /** For what would otherwise be changed or stored before {@link sign} refuses. @throws PlatformError WORKSPACE_SUSPENDED */
  assertIssuesFor(tenantId: string): void {
    if (!this.issuesFor(tenantId)) throw new PlatformError('WORKSPACE_SUSPENDED');
  }

  /** @param jti made before the rights were read: a later change cuts it off @throws PlatformError WORKSPACE_SUSPENDED */
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
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
