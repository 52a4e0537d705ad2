import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Agent } from 'undici';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { explainTlsFailure } from '../proxy/tls-failure.js';
import { UpstreamConnector } from '../proxy/upstream-connector.js';
import { type Upstream, upstreamFor } from '../routing/routing.js';
import { mergeDocuments, type OpenApi } from './merge-documents.js';

const CACHE_MS = 60_000;
/** The missing service may be back; but asking for it with every call would make a load out of its failure. */
const INCOMPLETE_CACHE_MS = 5000;
const FETCH_TIMEOUT_MS = 3000;
/** The documents have some tens of KiB each. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

interface Kept {
  until: number;
  /** JSON, so that it is written once and not for each call. */
  readonly text: Promise<string>;
}

/** One OpenAPI document of all services behind the gateway, fetched on demand and kept for a minute. */
@Injectable()
export class ApiDocumentService implements OnApplicationShutdown {
  private readonly logger = new Logger(ApiDocumentService.name);
  private readonly agent: Agent;
  private kept: Kept | undefined;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    connector: UpstreamConnector,
  ) {
    this.agent = new Agent({
      headersTimeout: FETCH_TIMEOUT_MS,
      bodyTimeout: FETCH_TIMEOUT_MS,
      connect: connector.connect,
      maxResponseSize: MAX_DOCUMENT_BYTES,
    });
  }

  /** @returns JSON */
  get(): Promise<string> {
    if (!this.kept || this.kept.until <= Date.now()) this.kept = this.make();
    return this.kept.text;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.close();
  }

  private make(): Kept {
    const keepFor = (ms: number): void => {
      kept.until = Date.now() + ms;
    };
    const text = this.build().then(
      ({ document, isComplete }) => {
        keepFor(isComplete ? CACHE_MS : INCOMPLETE_CACHE_MS);
        return JSON.stringify(document);
      },
      (error: unknown) => {
        keepFor(INCOMPLETE_CACHE_MS);
        throw error;
      },
    );
    // Until then all calls wait for this one.
    const kept: Kept = { until: Number.POSITIVE_INFINITY, text };
    return kept;
  }

  private async build(): Promise<{ document: OpenApi; isComplete: boolean }> {
    const names = Object.keys(this.config.upstreams) as Upstream[];
    const documents = await Promise.all(names.map(async (name) => [name, await this.load(name)] as const));
    const present = documents.filter((entry): entry is readonly [Upstream, OpenApi] => entry[1] !== undefined);
    const { baseUrl } = this.config.service;
    const document = mergeDocuments(present, baseUrl, (path, name) => upstreamFor(path) === name);
    return { document, isComplete: present.length === names.length };
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
        err: explainTlsFailure(name, error as Error),
      });
    }
    return undefined;
  }
}
