import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Agent } from 'undici';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { type Upstream, upstreamFor } from '../routing/routing.js';
import { mergeDocuments, type OpenApi } from './merge-documents.js';

const CACHE_MS = 60_000;
const FETCH_TIMEOUT_MS = 3000;
/** The documents have some tens of KiB each. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/** One OpenAPI document of all services behind the gateway, fetched on demand and kept for a minute. */
@Injectable()
export class ApiDocumentService implements OnApplicationShutdown {
  private readonly logger = new Logger(ApiDocumentService.name);
  private readonly agent = new Agent({
    headersTimeout: FETCH_TIMEOUT_MS,
    bodyTimeout: FETCH_TIMEOUT_MS,
    connect: { timeout: FETCH_TIMEOUT_MS },
    maxResponseSize: MAX_DOCUMENT_BYTES,
  });
  private cached: { readonly until: number; readonly document: Promise<OpenApi> } | undefined;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {}

  get(): Promise<OpenApi> {
    if (!this.cached || this.cached.until <= Date.now()) {
      this.cached = { until: Date.now() + CACHE_MS, document: this.build() };
    }
    return this.cached.document;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  private async build(): Promise<OpenApi> {
    const names = Object.keys(this.config.upstreams) as Upstream[];
    const documents = await Promise.all(names.map(async (name) => [name, await this.load(name)] as const));
    const present = documents.filter((entry): entry is readonly [Upstream, OpenApi] => entry[1] !== undefined);
    // An incomplete document is not kept: the missing service may answer the next time.
    if (present.length < names.length) this.cached = undefined;
    return mergeDocuments(present, this.config.service.baseUrl, (path, name) => upstreamFor(path) === name);
  }

  private async load(name: Upstream): Promise<OpenApi | undefined> {
    try {
      const { origin } = new URL(this.config.upstreams[name]);
      const { statusCode, body } = await this.agent.request({ origin, path: '/api/openapi.json', method: 'GET' });
      if (statusCode === 200) return (await body.json()) as OpenApi;
      await body.dump();
      this.logger.warn({
        msg: 'A service has no OpenAPI document; the merged document leaves it out',
        upstream: name,
        status: statusCode,
      });
    } catch (error) {
      this.logger.warn({
        msg: 'A service has no OpenAPI document; the merged document leaves it out',
        upstream: name,
        err: error,
      });
    }
    return undefined;
  }
}
