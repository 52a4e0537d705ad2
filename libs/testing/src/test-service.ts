import { setTimeout as delay } from 'node:timers/promises';
import { ProofSource } from '@crm/access';
import { OPERATORS_PREFIX } from '@crm/contracts';
import { createService, type ServiceConfig, type ServiceOptions } from '@crm/runtime';
import type { Abstract, DynamicModule } from '@nestjs/common';
import { provisionTestNats } from './test-nats.js';

export interface TestAnswer<Body = unknown> {
  status: number;
  headers: Headers;
  /** Parsed when it is JSON, text otherwise, undefined when there is none. */
  body: Body;
}

export interface TestRequest {
  token?: string;
  /** Sent as JSON; a text is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestService {
  url: string;
  operationsUrl: string;
  /** Where marketplace-admin calls for operators; undefined for a service without routes of theirs. */
  operatorsUrl: string | undefined;
  /** A request as marketplace-admin forwards it. @param path the public one */
  requestOfOperator<Body = unknown>(method: string, path: string, options?: TestRequest): Promise<TestAnswer<Body>>;
  request<Body = unknown>(method: string, path: string, options?: TestRequest): Promise<TestAnswer<Body>>;
  get<T>(token: Abstract<T>): T;
  close(): Promise<void>;
}

/** Sessions of tests are rows of no identity: each counts as proven a moment ago. */
class EverybodyProven extends ProofSource {
  override async assert(): Promise<void> {
    return undefined;
  }
}

/** @param overrides e.g. `{ keySource: testTokens().keySource }` */
export async function startTestService(
  config: { readonly service: ServiceConfig },
  module: DynamicModule,
  overrides: ServiceOptions = {},
): Promise<TestService> {
  await provisionTestNats();
  const service = await createService(config, module, {
    ...(overrides.keySource !== 'own' && { proofs: new EverybodyProven() }),
    ...overrides,
  });
  await untilReady(service.operationsUrl);
  return {
    url: service.url,
    operationsUrl: service.operationsUrl,
    operatorsUrl: service.operatorsUrl,
    requestOfOperator: (method, path, options) =>
      send(`${service.operatorsUrl}${OPERATORS_PREFIX}`, method, path, options),
    request: (method, path, options) => send(service.url, method, path, options),
    get: (token) => service.app.get(token, { strict: false }),
    close: () => service.close(),
  };
}

/** How long a service that never becomes ready, which some tests want, is waited for, in milliseconds. */
const READY_WITHIN_MS = 5_000;

/** Until then requests with a token are refused, because revocations are not known yet. */
async function untilReady(operationsUrl: string): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await delay(10)) {
    if ((await fetch(`${operationsUrl}/readyz`)).ok) return;
  }
}

async function send<Body>(
  url: string,
  method: string,
  path: string,
  { token, body, headers = {} }: TestRequest = {},
): Promise<TestAnswer<Body>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  const parsed: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  return { status: response.status, headers: response.headers, body: parsed as Body };
}
