import { randomBytes } from 'node:crypto';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import type { WebhookConfig } from '../config.js';
import { SECRET_PREFIX } from '../delivery/signature.js';
import { WEBHOOK_CONFIG } from '../webhook-config.js';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

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

  seal(secret: string, subscriptionId: string): Buffer {
    return this.box.seal(secret, placeOf(subscriptionId));
  }

  open(sealed: Buffer, subscriptionId: string): string {
    return this.box.open(sealed, placeOf(subscriptionId));
  }
}

const placeOf = (subscriptionId: string) => `webhook_subscription/${subscriptionId}`;
