import { randomBytes } from 'node:crypto';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { PRIVATE_KEY_BYTES, PRIVATE_KEY_PREFIX, publicKeyOf, SECRET_PREFIX } from './signature.js';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** The owner of a secret; secrets sealed for one owner do not open for another. */
export type SecretOwner = { readonly subscriptionId: string } | { readonly appKey: string };

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
    return this.box.seal(secret, placeOfSecret(owner));
  }

  /** @throws Error when it was sealed for another owner or with another key */
  open(sealed: Buffer, owner: SecretOwner): string {
    return this.box.open(sealed, placeOfSecret(owner));
  }
}

export const placeOfSecret = (owner: SecretOwner): string =>
  'appKey' in owner ? `app_secret/${owner.appKey}` : `webhook_subscription/${owner.subscriptionId}`;
