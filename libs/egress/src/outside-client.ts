import type { UrlVerdict } from '@crm/address-policy';
import {
  createEgressClient,
  type EgressClient,
  type EgressOptions,
  type EgressRequest,
  type EgressResponse,
} from './client.js';

/**
 * A process's one way to the outside, as a provider: `{ provide: OutsideClient, useFactory: () => new
 * OutsideClient(config.egress) }`. Nest closes it when requests and background work have ended.
 */
export class OutsideClient implements EgressClient {
  private readonly client: EgressClient;

  constructor(options: EgressOptions) {
    this.client = createEgressClient(options);
  }

  get idleSockets(): number {
    return this.client.idleSockets;
  }

  checkUrl(url: string): UrlVerdict {
    return this.client.checkUrl(url);
  }

  request(request: EgressRequest): Promise<EgressResponse> {
    return this.client.request(request);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}
