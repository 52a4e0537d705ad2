import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server as NetServer } from 'node:net';
import path from 'node:path';
import { RevocationSource } from '@crm/access';
import { type AccessTokenClaims, PlatformError } from '@crm/contracts';
import { createService, type RunningService } from '@crm/runtime';
import { testTokens } from '@crm/testing';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { ApiKeyIssuer, type KeyPresented, type TokenOfKey } from '../src/admission/api-key.service.js';
import { loadConfig } from '../src/config.js';
import { GatewayModule } from '../src/gateway.module.js';
import { ROUTES, type Upstream } from '../src/routing/routing.js';

/** A page as the build makes it, in small. */
export const PAGE_DIR = path.join(import.meta.dirname, 'page');

export const TENANT = '0199aa00-0000-7000-8000-000000000001';

/** A request that a stand-in for a service received. */
export interface Received {
  readonly service: Upstream;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = { status?: number; headers?: Record<string, string>; body?: string } | 'never';

/** Local HTTP servers in place of the services: each answers with its name and records its requests. */
export class Services {
  readonly received: Received[] = [];
  answer: (received: Received) => Answer = ({ service }) => ({ body: JSON.stringify({ service }) });
  private readonly servers: Server[] = [];
  readonly urls = {} as Record<Upstream, string>;
  /** Handshakes that were completed, when they speak TLS. */
  handshakes = 0;

  private constructor(private readonly certificate?: { cert: string; key: string }) {}

  /** @param certificate with it they speak HTTPS, as `localhost` */
  static async start(certificate?: { cert: string; key: string }): Promise<Services> {
    const services = new Services(certificate);
    for (const name of new Set(ROUTES.map(([, upstream]) => upstream))) await services.listen(name);
    return services;
  }

  private async listen(service: Upstream): Promise<void> {
    const listener: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const received = { service, method, url, headers, body: Buffer.concat(chunks).toString() };
        this.received.push(received);
        const answer = this.answer(received);
        if (answer === 'never') return;
        response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
        response.end(answer.body ?? '{}');
      });
    };
    const server = this.certificate ? createTlsServer(this.certificate, listener) : createServer(listener);
    // Real services do the same; Node's own, 5 s, would end connections between two calls of a slow machine.
    if (this.certificate) server.keepAliveTimeout = 72_000;
    server.on('secureConnection', () => {
      this.handshakes += 1;
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    this.servers.push(server);
    const origin = this.certificate ? 'https://localhost' : 'http://127.0.0.1';
    this.urls[service] = `${origin}:${(server.address() as AddressInfo).port}`;
  }

  get last(): Received {
    const last = this.received.at(-1);
    if (!last) throw new Error('No service was called');
    return last;
  }

  async close(): Promise<void> {
    for (const server of this.servers) {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    }
  }
}

const tokens = testTokens();

class TestRevocations extends RevocationSource {
  override readonly ready = true;
  readonly endedSessions = new Set<string>();

  override isRevoked({ sid }: AccessTokenClaims): boolean {
    return sid !== undefined && this.endedSessions.has(sid);
  }
}

/** Cut-offs of the gateways of this file. */
export const revocations = new TestRevocations();

/** identity, as far as API keys are concerned: a test says what a key is exchanged for. */
export class TestIssuer extends ApiKeyIssuer {
  readonly presented: KeyPresented[] = [];
  answer: (presented: KeyPresented) => Promise<TokenOfKey> = async () => {
    throw new PlatformError('INVALID_API_KEY');
  };

  override exchange(presented: KeyPresented): Promise<TokenOfKey> {
    this.presented.push(presented);
    return this.answer(presented);
  }
}

export const tokenOf = (claims: Partial<AccessTokenClaims> = {}): Promise<string> =>
  tokens.sign({ tid: TENANT, roles: ['member'], scopes: [], sub: 'u-1', ...claims });

/** A gateway on a free port in front of the stand-ins. @param environment variables, as a deployment sets them */
export async function startGateway(
  { urls }: Services,
  environment: Environment = {},
  keyIssuer: ApiKeyIssuer = new TestIssuer(),
): Promise<RunningService> {
  const config = loadConfig({
    PROFILE: 'test',
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'silent',
    NATS_PASSWORD: 'unused',
    TRUSTED_PROXIES: '127.0.0.1',
    IDENTITY_URL: urls.identity,
    CUSTOM_OBJECTS_URL: urls['custom-objects'],
    MARKETPLACE_URL: urls['marketplace-certification'],
    AUTOMATIONS_URL: urls['automation-hooks'],
    WEBHOOKS_URL: urls['webhook-dispatcher'],
    CONSOLE_DIR: PAGE_DIR,
    ...environment,
  });
  const overrides = { keySource: tokens.keySource, revocations, openApi: false };
  return createService(config, GatewayModule.with(config, keyIssuer), overrides);
}

type Environment = Record<string, string>;

export interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A gateway and its stand-ins for the tests of a suite. */
export class Edge {
  services!: Services;
  gateway!: RunningService;

  /** For all tests together. @param prepare called before the gateway starts; returns its environment */
  static shared(prepare: (services: Services) => Environment | Promise<Environment>): Edge {
    const edge = new Edge();
    beforeAll(async () => {
      edge.services = await Services.start();
      await edge.start(await prepare(edge.services));
    });
    afterAll(() => edge.close());
    return edge;
  }

  /** For all tests together, in front of a server that a test makes itself. */
  static before(server: NetServer): Edge {
    const edge = Edge.shared(async () => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return { CUSTOM_OBJECTS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    });
    afterAll(() => void server.close());
    return edge;
  }

  /** For each test, which starts the gateway itself. */
  static single(): Edge {
    const edge = new Edge();
    beforeEach(async () => {
      edge.services = await Services.start();
    });
    afterEach(() => edge.close());
    return edge;
  }

  async start(environment: Environment = {}, issuer?: ApiKeyIssuer): Promise<void> {
    this.gateway = await startGateway(this.services, environment, issuer);
  }

  fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.gateway.url + path, init);
  }

  async call(path: string, { method = 'GET', headers = {}, body }: Call = {}) {
    const response = await this.fetch(path, { method, headers, body });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    const json = (isJson ? JSON.parse(text) : {}) as Record<string, unknown> & { code?: string };
    return { status: response.status, headers: response.headers, text, json, code: json.code };
  }

  metric(name: string): Promise<number> {
    return metricOf(this.gateway, name);
  }

  raw(request: string): Promise<string> {
    return sendRaw(this.gateway.url, request);
  }

  async close(): Promise<void> {
    await this.gateway?.close();
    await this.services.close();
  }
}

/** @param name and the labels that it begins with */
export async function metricOf({ operationsUrl }: RunningService, name: string): Promise<number> {
  const text = await (await fetch(`${operationsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')}\\S* (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Sends a text that no HTTP client would send. @returns the answer, from the status line on */
export function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}
