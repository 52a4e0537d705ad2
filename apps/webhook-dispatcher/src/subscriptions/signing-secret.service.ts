import { randomBytes } from 'node:crypto';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { PRIVATE_KEY_BYTES, PRIVATE_KEY_PREFIX, publicKeyOf, SECRET_PREFIX } from './signing-key.js';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** How long the previous secret stays valid after a rotation: one day, in milliseconds, for the receiver to change. */
export const ROTATION_OVERLAP_MS = 24 * 3600 * 1000;

/** The owner of a secret; what is sealed for one owner does not open for another. */
export type SecretOwner = { readonly subscriptionId: string } | { readonly appKey: string };

/** Identifiers of Standard Webhooks: `v1` is HMAC-SHA256 with a shared secret, `v1a` is Ed25519 with a key pair. */
export const SIGNATURES = ['v1', 'v1a'] as const;
export type Signature = (typeof SIGNATURES)[number];

export interface KeyPair {
  /** `whsk_…`; sealed and opened like every signing secret, and never shown. */
  readonly secret: string;
  /** `whpk_…`, for receivers. */
  readonly publicKey: string;
}

/** A new secret or private key, ready to be stored, and what its owner learns of it. */
export interface IssuedSecret {
  readonly sealed: Buffer;
  /** Null for a shared secret. */
  readonly publicKey: string | null;
  readonly shown: { readonly secret: string } | { readonly publicKey: string };
}

/** Creates signing secrets and seals them. */
@Injectable()
export class SigningSecretService {
  private readonly box: SecretBox;

  constructor(@Inject(WEBHOOK_CONFIG) config: Pick<WebhookConfig, 'keyEncryptionKey'>) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  /** A secret that the receiver shares: `whsec_…`. */
  create(): string {
    return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  }

  /** An Ed25519 key pair, of which the receiver gets the public key only. */
  createKeyPair(): KeyPair {
    const secret = PRIVATE_KEY_PREFIX + randomBytes(PRIVATE_KEY_BYTES).toString('base64');
    return { secret, publicKey: publicKeyOf(secret) };
  }

  issue(signature: Signature, owner: SecretOwner): IssuedSecret {
    if (signature === 'v1') {
      const secret = this.create();
      return { sealed: this.seal(secret, owner), publicKey: null, shown: { secret } };
    }
    const { secret, publicKey } = this.createKeyPair();
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

/** What a secret is bound to. */
export const placeOfSecret = (owner: SecretOwner): string =>
  'appKey' in owner ? `app_secret/${owner.appKey}` : `webhook_subscription/${owner.subscriptionId}`;
