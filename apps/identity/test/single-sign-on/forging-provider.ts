import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverCertificate,
  type ReceiverReaction,
  startReceiver,
} from '@crm/testing';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose';

export const CLIENT_ID = 'crm-client';
export const CLIENT_SECRET = 'a-secret-of-the-provider';

/** How the next id token is signed. */
export type Signature = 'right' | 'none' | 'public key as secret' | 'another key' | 'unsigned part';

/** A provider that says whatever a test wants. */
export class ForgingProvider {
  /** The person of the next id token. */
  person: Record<string, unknown> = {};
  /** Claims of the next id token, over those of an honest one. */
  claims: Record<string, unknown> = {};
  signature: Signature = 'right';
  /** Members of the discovery document, over those of an honest one. */
  metadata: Record<string, unknown> = {};
  /** What is answered instead, by path. */
  readonly reactions = new Map<string, ReceiverReaction>();

  private constructor(
    readonly receiver: Receiver,
    private readonly keys: { privateKey: CryptoKey; publicKey: CryptoKey },
    private readonly otherKey: CryptoKey,
    private readonly jwk: JWK,
  ) {
    receiver.respondWith((request) => this.answer(request));
  }

  static async start(certificate: ReceiverCertificate): Promise<ForgingProvider> {
    const keys = await generateKeyPair('ES256', { extractable: true });
    const other = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    return new ForgingProvider(await startReceiver({ tls: certificate }), keys, other.privateKey, jwk);
  }

  get issuer(): string {
    return this.receiver.url;
  }

  get port(): number {
    return Number(new URL(this.receiver.url).port);
  }

  /** An honest provider again. */
  reset(): void {
    this.claims = {};
    this.signature = 'right';
    this.metadata = {};
    this.reactions.clear();
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private async answer({ path }: ReceivedRequest): Promise<ReceiverReaction> {
    const reaction = this.reactions.get(path);
    if (reaction !== undefined) return reaction;
    if (path === '/.well-known/openid-configuration') return json(this.discovery());
    if (path === '/jwks') return json({ keys: [this.jwk] });
    if (path === '/token') {
      return json({ access_token: 'at', token_type: 'Bearer', expires_in: 60, id_token: await this.idToken() });
    }
    return { status: 404 };
  }

  private discovery(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
      ...this.metadata,
    };
  }

  private async idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      email_verified: true,
      ...this.person,
      ...this.claims,
    };
    if (this.signature === 'none') return new UnsecuredJWT(claims).encode();
    if (this.signature === 'public key as secret') {
      const secret = new TextEncoder().encode(await exportSPKI(this.keys.publicKey));
      return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret);
    }
    const key = this.signature === 'another key' ? this.otherKey : this.keys.privateKey;
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key);
    return this.signature === 'unsigned part' ? `${token.slice(0, token.lastIndexOf('.'))}.` : token;
  }
}

const json = (body: unknown): ReceiverReaction => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
