import { SecretBox } from '@crm/encryption';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import type { CustomHeaders } from './custom-headers.js';

/** Seals the custom headers of subscriptions, names and values in one box. */
@Injectable()
export class CustomHeaderService {
  private readonly box: SecretBox;

  constructor(@Inject(WEBHOOK_CONFIG) config: Pick<WebhookConfig, 'keyEncryptionKey'>) {
    this.box = new SecretBox(config.keyEncryptionKey);
  }

  /** @returns null when there are none */
  seal(headers: CustomHeaders, subscriptionId: string): Buffer | null {
    if (Object.keys(headers).length === 0) return null;
    return this.box.seal(JSON.stringify(headers), placeOfHeaders(subscriptionId));
  }

  /** @throws Error when they were sealed for another subscription or with another key */
  open(sealed: Buffer | null, subscriptionId: string): CustomHeaders {
    return sealed === null ? {} : JSON.parse(this.box.open(sealed, placeOfHeaders(subscriptionId)));
  }
}

/** Not that of the signing secret, so that neither opens as the other. */
export const placeOfHeaders = (subscriptionId: string): string => `webhook_subscription/${subscriptionId}/headers`;
