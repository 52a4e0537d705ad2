import {
  createEgressClient,
  type EgressClient,
  type EgressRequest,
  type EgressResponse,
  type UrlVerdict,
} from '@crm/egress';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { WebhookConfig } from '../config.js';
import { WEBHOOK_CONFIG } from '../webhook-config.js';

/** Milliseconds an attempt may take in all. */
const ATTEMPT_TIMEOUT_MS = 15_000;

/** This process' way to the outside: every target goes through the address policy. */
@Injectable()
export class OutsideClient implements OnApplicationShutdown {
  private readonly client: EgressClient;

  constructor(@Inject(WEBHOOK_CONFIG) config: Pick<WebhookConfig, 'egress'>) {
    this.client = createEgressClient({
      ...config.egress,
      timeouts: { totalMs: ATTEMPT_TIMEOUT_MS },
      userAgent: 'crm-platform-webhooks/1',
    });
  }

  checkUrl(url: string): UrlVerdict {
    return this.client.checkUrl(url);
  }

  request(request: EgressRequest): Promise<EgressResponse> {
    return this.client.request(request);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
