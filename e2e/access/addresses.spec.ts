import { randomUUID } from 'node:crypto';
import { OPERATORS_PREFIX, SERVING_OPERATORS } from '@crm/contracts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { client, eventually } from '../../scripts/demo/client.mjs';
import { type Account, api, newWorkspace, operatorToken, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { type DocumentedRoute, documentedRoutes, inParallel, isOfOperators, nameOf, withParameters } from './routes.js';

const EDGES: readonly string[] = ['marketplace-admin', 'embed-gateway'];

/** With every name of a parameter alike: `/api/crm/leads/{}`. */
const shapeOf = (route: DocumentedRoute): string => nameOf(route).replace(/\{\w+\}/g, '{}');

describe('a request id that a client has chosen', () => {
  it('is echoed, and neither the trail nor a problem takes it for one of the platform', async () => {
    const { email, token } = await newWorkspace();
    const headers = { 'x-request-id': 'chosen-by-client' };
    const signIn = (password: string) => api('POST', '/api/auth/login', { headers, body: { email, password } });
    const [refused, signedIn] = [await signIn('not-the-password'), await signIn(PASSWORD)];
    const echoed = [refused, signedIn].map(({ status, headers }) => [status, headers.get('x-request-id')]);
    expect(echoed).toEqual([
      [401, 'chosen-by-client'],
      [200, 'chosen-by-client'],
    ]);
    const trail = '/api/admin/audit?action=sign_in.failed';
    const entry = await eventually(
      async () => (await api('GET', trail, { token })).body.data[0],
      'the refused sign-in',
    );
    expect(entry.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(refused.body.requestId).toBe(entry.requestId);
    const { body } = await api('GET', '/api/admin/audit', { token });
    expect(JSON.stringify(body)).not.toContain('chosen-by-client');
  });
});

interface Asked {
  readonly url: string;
  readonly prefix?: string;
  readonly token?: string;
  readonly expected: number;
  /** Routes of the address: their paths are there for other methods. */
  readonly beside?: readonly DocumentedRoute[];
}

/** Users and operators each have an address; what is served at one is not there at the other. */
describe('an address', () => {
  let ofUsers: DocumentedRoute[];
  let ofOperators: DocumentedRoute[];
  /** Routes of the same spelling at both. */
  let shared: ReadonlySet<string>;
  let user: Account;
  let operator: string;

  beforeAll(async () => {
    const routes = await documentedRoutes();
    ofUsers = routes.filter(({ service }) => !EDGES.includes(service));
    ofOperators = routes.filter(isOfOperators);
    const shapes = new Set(ofUsers.map(shapeOf));
    shared = new Set(ofOperators.map(shapeOf).filter((shape) => shapes.has(shape)));
    [user, operator] = await Promise.all([newWorkspace(), operatorToken()]);
  });

  const isShared = (route: DocumentedRoute): boolean => shared.has(shapeOf(route));

  /** @returns the routes whose answers are not as expected, with what they were */
  async function differing(
    routes: readonly DocumentedRoute[],
    { url, prefix = '', token, expected, beside = [] }: Asked,
  ): Promise<string[]> {
    const paths = new Set(beside.map(({ path }) => path));
    const wrong: string[] = [];
    await inParallel(routes, async (route) => {
      const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
      const path = prefix + withParameters(route.path, () => randomUUID());
      const { status } = await client(url)(route.method, path, {
        ...(token !== undefined && { token }),
        ...(hasBody && { body: {} }),
      });
      const right = paths.has(route.path) ? 405 : expected;
      if (status !== right) wrong.push(`${nameOf(route)} at ${url}: ${status}, not ${right}`);
    });
    return wrong;
  }

  it('of users has no route of operators', async () => {
    const theirs = ofOperators.filter((route) => !isShared(route));
    expect(theirs.length).toBeGreaterThan(10);
    for (const token of [undefined, user.token]) {
      expect(await differing(theirs, { url: addresses.baseUrl, token, expected: 404, beside: ofUsers })).toEqual([]);
    }
  });

  it('of operators has no route of users', async () => {
    const theirs = ofUsers.filter((route) => !isShared(route));
    expect(theirs.length).toBeGreaterThan(150);
    for (const token of [undefined, user.token, operator]) {
      expect(await differing(theirs, { url: addresses.adminUrl, token, expected: 404, beside: ofOperators })).toEqual(
        [],
      );
    }
  });

  it('has no way below the internal prefix, nor has the port of a service behind it', async () => {
    const urls = [addresses.baseUrl, addresses.embedApiUrl, addresses.adminUrl];
    const ports = SERVING_OPERATORS.map((service) => addresses.services[service]?.url as string);
    for (const url of [...urls, ...ports]) {
      for (const token of [undefined, user.token, operator]) {
        // An edge refuses a token that is not for it before it looks for a route; a path without one is not there.
        const at = { url, prefix: OPERATORS_PREFIX, token, expected: 404 };
        expect(await differing(ofOperators, at)).toEqual([]);
      }
    }
  });

  it.each(['users', 'operators'] as const)('refuses the tokens of the other: of %s', async (whose) => {
    const guarded = (whose === 'users' ? ofUsers : ofOperators).filter((route) => !route.public);
    const [url, token] = whose === 'users' ? [addresses.baseUrl, operator] : [addresses.adminUrl, user.token];
    expect(guarded.length).toBeGreaterThan(20);
    expect(await differing(guarded, { url, token, expected: 401 })).toEqual([]);
  });
});
