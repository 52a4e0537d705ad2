import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RouteEntry } from '@crm/http';
import { metricsRegistry } from '../observability/metrics.js';
import type { Readiness } from './readiness.js';

export interface OperationsSources {
  readonly readiness: Readiness;
  readonly routes: readonly RouteEntry[];
}

/** On a port that is never public. Plain node:http, because it must answer before the application is built, too. */
export class OperationsServer {
  private readonly server: Server;
  private sources: OperationsSources | undefined;

  constructor() {
    this.server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0] ?? '';
      this.answer(path, response).catch((error: Error) => {
        response.destroy(error);
      });
    });
    this.server.keepAliveTimeout = 5000;
  }

  attach(sources: OperationsSources): void {
    this.sources = sources;
  }

  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, host, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    const address = this.server.address() as AddressInfo;
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer(path: string, response: ServerResponse): Promise<void> {
    switch (path) {
      case '/livez':
        return sendJson(response, 200, { status: 'alive' });
      case '/readyz': {
        const report = (await this.sources?.readiness.report()) ?? { status: 'unavailable', checks: {} };
        return sendJson(response, report.status === 'ready' ? 200 : 503, report);
      }
      case '/metrics':
        response.writeHead(200, { 'content-type': metricsRegistry.contentType });
        response.end(await metricsRegistry.metrics());
        return;
      case '/routes':
        return sendJson(response, 200, this.sources?.routes ?? []);
      default:
        return sendJson(response, 404, { status: 'not found' });
    }
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
