import type { ServiceName } from '@crm/contracts';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent } from 'undici';
import { PROXY_CONFIG, type ProxyConfig } from './proxy-config.js';
import { UpstreamConnector } from './upstream-connector.js';
import { explainTlsFailure } from './upstreams.js';

/** Documents have some tens of KiB each, a page of a list less than 1 MiB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

@Injectable()
export class UpstreamClient implements OnApplicationShutdown {
  private readonly agent: Agent;

  constructor(
    @Inject(PROXY_CONFIG) private readonly config: ProxyConfig,
    connector: UpstreamConnector,
  ) {
    this.agent = new Agent({ connect: connector.connect, maxResponseSize: MAX_ANSWER_BYTES });
  }

  /** @throws Error when the service does not answer in time, or not with JSON */
  async get(
    upstream: ServiceName,
    path: string,
    { timeoutMs, headers }: { timeoutMs: number; headers?: Readonly<Record<string, string | undefined>> },
  ): Promise<{ status: number; body: unknown }> {
    const { origin } = new URL(this.config.upstreams[upstream] as string);
    const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
    try {
      const { statusCode, body } = await this.agent.request({ origin, path, method: 'GET', headers, ...timeouts });
      return { status: statusCode, body: await body.json() };
    } catch (error) {
      throw explainTlsFailure(upstream, error as Error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }
}
