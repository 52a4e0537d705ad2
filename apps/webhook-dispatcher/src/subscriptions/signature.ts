import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';

/** Prefixes of Standard Webhooks 1.0 (section "Signature scheme"); base64 follows. */
const SECRET_PREFIX = 'whsec_';
const PRIVATE_KEY_PREFIX = 'whsk_';
const PUBLIC_KEY_PREFIX = 'whpk_';

/** A private key of RFC 8032, section 5.1.5, in the form that the Go library of Standard Webhooks reads. */
const PRIVATE_KEY_BYTES = 32;

/** Header of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

interface SymmetricKey {
  readonly kind: 'symmetric';
  /** The decoded secret, for `v1`. */
  readonly decoded: KeyObject;
  /** The bytes of the whole text, for `x-platform-signature`. */
  readonly text: KeyObject;
}

type SigningKey = SymmetricKey | { readonly kind: 'asymmetric'; readonly privateKey: KeyObject };

/** @throws Error without the secret in its message, when it is neither `whsec_…` nor `whsk_…` */
export function signingKeyOf(secret: string): SigningKey {
  if (secret.startsWith(PRIVATE_KEY_PREFIX)) return { kind: 'asymmetric', privateKey: privateKeyOf(secret) };
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('A signing secret has an unknown prefix');
  return {
    kind: 'symmetric',
    decoded: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
    text: createSecretKey(secret, 'utf8'),
  };
}

/** @throws Error without the secret in its message, when it is not `whsk_…` */
export function publicKeyOf(secret: string): string {
  const { x } = createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' });
  return PUBLIC_KEY_PREFIX + Buffer.from(x as string, 'base64url').toString('base64');
}

function privateKeyOf(secret: string): KeyObject {
  const bytes = Buffer.from(secret.slice(PRIVATE_KEY_PREFIX.length), 'base64');
  if (!secret.startsWith(PRIVATE_KEY_PREFIX) || bytes.length !== PRIVATE_KEY_BYTES) {
    throw new Error(`A private signing key is ${PRIVATE_KEY_PREFIX} and ${PRIVATE_KEY_BYTES} bytes in base64`);
  }
  return createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, bytes]), format: 'der', type: 'pkcs8' });
}

export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
  'x-platform-signature'?: string;
}

/** Keys are decoded once; one signer serves every attempt until the secrets change. */
export class Signer {
  private readonly symmetric: readonly SymmetricKey[];

  /** @param keys newest first: the order of the signatures */
  constructor(private readonly keys: readonly SigningKey[]) {
    this.symmetric = keys.filter((key) => key.kind === 'symmetric');
  }

  /** @param timestamp Unix seconds of this attempt */
  headers(id: string, timestamp: number, body: string): SignedHeaders {
    const signedByPlatform = `${timestamp}.${body}`;
    const signed = `${id}.${signedByPlatform}`;
    const standard = this.keys.map((key) => (key.kind === 'symmetric' ? v1(key, signed) : v1a(key, signed)));
    const headers: SignedHeaders = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standard.join(' '),
    };
    if (this.symmetric.length === 0) return headers;
    const plain = this.symmetric.map(({ text }) => `v1=${hmac(text, signedByPlatform, 'hex')}`);
    headers['x-platform-signature'] = [`t=${timestamp}`, ...plain].join(',');
    return headers;
  }
}

/** @param secrets all that are valid, newest first: during a rotation both, so that the receiver can switch at any moment */
export const signerOf = (secrets: readonly string[]): Signer => new Signer(secrets.map(signingKeyOf));

const v1 = ({ decoded }: SymmetricKey, signed: string): string => `v1,${hmac(decoded, signed, 'base64')}`;

/** Ed25519 hashes by itself, so there is no digest to name. */
const v1a = ({ privateKey }: { readonly privateKey: KeyObject }, signed: string): string =>
  `v1a,${sign(null, Buffer.from(signed), privateKey).toString('base64')}`;

const hmac = (key: SymmetricKey['decoded'], signed: string, encoding: 'base64' | 'hex'): string =>
  createHmac('sha256', key).update(signed).digest(encoding);

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** The owner of a secret; secrets sealed for one owner do not open for another. */
type SecretOwner = { readonly subscriptionId: string } | { readonly appKey: string };

/** Identifiers of Standard Webhooks: `v1` is HMAC-SHA256 with a shared secret, `v1a` is Ed25519 with a key pair. */
export const SIGNATURES = ['v1', 'v1a'] as const;
export type Signature = (typeof SIGNATURES)[number];

export interface IssuedSecret {
  readonly sealed: Buffer;
  /** `whpk_…`, for receivers; null for a shared secret. */
  readonly publicKey: string | null;
  readonly shown: { readonly secret: string } | { readonly publicKey: string };
}

export interface StoredSecrets {
  readonly secret: Buffer | null;
  readonly previousSecret: Buffer | null;
  readonly previousSecretUntil: Date | null;
}

/** Newest first: after a rotation both, until the previous one expires. */
export function liveSecrets({ secret, previousSecret, previousSecretUntil }: StoredSecrets, now: Date): Buffer[] {
  if (secret === null) return [];
  const isPreviousLive = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now;
  return isPreviousLive ? [secret, previousSecret] : [secret];
}

@Injectable()
export class SigningSecretService {
  private readonly box: SecretBox;

  constructor(@Inject(WEBHOOK_CONFIG) config: Pick<WebhookConfig, 'keyEncryptionKey'>) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  /** A `whsec_…` that the receiver shares for `v1`; for `v1a` a `whsk_…`, of which the receiver gets the public key only. */
  issue(signature: Signature, owner: SecretOwner): IssuedSecret {
    if (signature === 'v1') {
      const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
      return { sealed: this.seal(secret, owner), publicKey: null, shown: { secret } };
    }
    const secret = PRIVATE_KEY_PREFIX + randomBytes(PRIVATE_KEY_BYTES).toString('base64');
    const publicKey = publicKeyOf(secret);
    return { sealed: this.seal(secret, owner), publicKey, shown: { publicKey } };
  }

  seal(secret: string, owner: SecretOwner): Buffer {
    return this.box.seal(secret, contextOfSecret(owner));
  }

  /** @throws Error when it was sealed for another owner or with another key */
  open(sealed: Buffer, owner: SecretOwner): string {
    return this.box.open(sealed, contextOfSecret(owner));
  }
}

export const contextOfSecret = (owner: SecretOwner): string =>
  'appKey' in owner ? `app_secret/${owner.appKey}` : `webhook_subscription/${owner.subscriptionId}`;
