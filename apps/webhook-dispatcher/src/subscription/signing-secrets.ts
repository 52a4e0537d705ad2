import { randomBytes } from 'node:crypto';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import type { WebhookConfig } from '../config.js';
import { SECRET_PREFIX } from '../delivery/signature.js';
import { WEBHOOK_CONFIG } from '../webhook-config.js';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** How long both secrets sign after a rotation: a day for the receiver to change. */
export const ROTATION_OVERLAP_MS = 24 * 3600 * 1000;

/** Makes signing secrets and keeps them sealed. */
@Injectable()
export class SigningSecrets {
  private readonly box: SecretBox;

  constructor(@Inject(WEBHOOK_CONFIG) config: Pick<WebhookConfig, 'keyEncryptionKey'>) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  create(): string {
    return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  }

  /** @param owner the subscription or the app that the secret belongs to */
  seal(secret: string, owner: SecretOwner): Buffer {
    return this.box.seal(secret, placeOf(owner));
  }

  open(sealed: Buffer, owner: SecretOwner): string {
    return this.box.open(sealed, placeOf(owner));
  }
}

/** Whose secret it is: a box of one owner does not open for another. */
export type SecretOwner = { readonly subscriptionId: string } | { readonly appKey: string };

const placeOf = (owner: SecretOwner): string =>
  'appKey' in owner ? `app_secret/${owner.appKey}` : `webhook_subscription/${owner.subscriptionId}`;
