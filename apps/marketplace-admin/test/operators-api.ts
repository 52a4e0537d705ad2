import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AUDIENCES } from '@crm/contracts';
import { startTestService, type TestService, testServiceConfig, testTokens } from '@crm/testing';
import { AppModule } from '../src/app.module.js';
import type { MarketplaceAdminConfig } from '../src/config.js';
import { ROUTES, type Upstream } from '../src/forwarding/routes.js';

export const tokens = testTokens();

/** A request that a stand-in for a service received. */
export interface Received {
  readonly service: Upstream;
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };

/** The service alone, and local servers in place of those that it forwards to. */
export class OperatorsApi {
  readonly received: Received[] = [];
  /** What the stand-ins answer; undefined: nothing, and the connection ends. */
  answer: (request: Received) => Answer | undefined = () => undefined;
  private readonly servers: Server[] = [];
  service: TestService;

  private constructor(
    /** Tokens of operators in either role. */
    readonly administrator: string,
    readonly reviewer: string,
  ) {}

  static async start(changes: Partial<MarketplaceAdminConfig['service']> = {}): Promise<OperatorsApi> {
    const sign = (role: string) => tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: [role], scopes: [] });
    const api = new OperatorsApi(await sign('administrator'), await sign('reviewer'));
    const config: MarketplaceAdminConfig = {
      service: { ...testServiceConfig('marketplace-admin'), ...changes },
      limits: {},
      upstreams: {
        identity: await api.listen('identity'),
        'marketplace-certification': await api.listen('marketplace-certification'),
      },
      upstreamTimeoutMs: 2000,
    };
    api.service = await startTestService(config, AppModule.with(config), {
      keySource: tokens.keySource,
      audiences: [AUDIENCES.admin],
      openApi: false,
      forwarded: ROUTES,
    });
    return api;
  }

  /** @param token default: that of an administrator */
  request(method: string, path: string, body?: unknown, token: string = this.administrator) {
    return this.service.request<Record<string, unknown>>(method, path, { token, body });
  }

  async close(): Promise<void> {
    await this.service.close();
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  private async listen(service: Upstream): Promise<string> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      const { method = '', url = '', headers } = request;
      const received = { service, method, url, headers, body };
      this.received.push(received);
      const answer = this.answer(received);
      if (!answer) {
        response.destroy();
        return;
      }
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
    });
    this.servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}
