import { OutsideClient } from '@crm/egress';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';

/** Milliseconds that an attempt may take in all. */
const ATTEMPT_TIMEOUT_MS = 15_000;

export const USER_AGENT = 'crm-platform-webhooks/1';

export const receiverClient = {
  provide: OutsideClient,
  inject: [WEBHOOK_CONFIG],
  useFactory: ({ egress }: Pick<WebhookConfig, 'egress'>) =>
    new OutsideClient({ ...egress, timeouts: { totalMs: ATTEMPT_TIMEOUT_MS }, userAgent: USER_AGENT }),
};
