import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { AccessRule } from '@crm/access';
import { rolesAllow, SCOPE_NAMES, SERVICES } from '@crm/contracts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { client } from '../scripts/demo/client.mjs';
import { api, newUser, newWorkspace } from './platform/accounts.js';
import { addresses } from './platform/addresses.js';
import { createOperator, operatorToken } from './platform/operators.js';

interface Route {
  method: string;
  path: string;
  public: boolean;
  access?: AccessRule;
}

/** A line of the matrix: who may call a route. */
const line = (service: string, { method, path, access, ...route }: Route): string => {
  const rule = route.public
    ? 'public'
    : [
        access?.right,
        access?.scope ? `scope ${access.scope}` : 'no scope',
        ...(access?.embed === undefined ? [] : [`embed ${access.embed}`]),
        ...(access?.app === undefined ? [] : [`app ${access.app}`]),
        ...(access?.key === undefined ? [] : [`key ${access.key}`]),
      ].join(', ');
  return `${service} ${method} ${path}: ${rule}`;
};

const routesOf = async (service: string): Promise<Route[]> =>
  (await (await fetch(`${addresses.services[service]?.operationsUrl}/routes`)).json()) as Route[];

/** The path with parameters replaced by ids that do not exist. */
const concrete = (path: string): string => path.replace(/:[A-Za-z]+/g, () => randomUUID());

describe('the access matrix', () => {
  const routes: { service: string; route: Route }[] = [];
  let agreed: string[];
  beforeAll(async () => {
    const matrix = await readFile(path.join(import.meta.dirname, 'access-matrix.txt'), 'utf8');
    agreed = matrix.trim().split('\n');
    for (const service of SERVICES) {
      for (const route of await routesOf(service)) routes.push({ service, route });
    }
  });

  it('equals access-matrix.txt, so that every new route shows in review', async () => {
    expect(routes.map(({ service, route }) => line(service, route)).sort()).toEqual(agreed);
  });

  it('refuses every route that is not public without a token and with a foreign token', async () => {
    for (const { service, route } of routes.filter(({ route }) => !route.public)) {
      const call = client(addresses.services[service]?.url as string);
      for (const token of [undefined, 'eyJhbGciOiJub25lIn0.e30.', randomUUID()]) {
        const answer = await call(route.method, concrete(route.path), token === undefined ? {} : { token });
        expect([line(service, route), answer.status]).toEqual([line(service, route), 401]);
        expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      }
    }
  });

  it.each(['viewer', 'member'])('refuses a %s every route that the role does not allow', async (role) => {
    const { token } = await newUser(await newWorkspace(), role);
    const ofTenants = routes.filter(({ service, route }) => !route.public && service !== 'marketplace-admin');
    const expected = agreed.filter((text) => !text.endsWith(': public') && !text.startsWith('marketplace-admin '));
    expect(ofTenants.map((entry) => line(entry.service, entry.route)).sort()).toEqual(expected);
    for (const { service, route } of ofTenants) {
      if (route.access === undefined || rolesAllow([role], route.access.right)) continue;
      const answer = await client(addresses.services[service]?.url as string)(route.method, concrete(route.path), {
        token,
      });
      expect([line(service, route), answer.status]).toEqual([line(service, route), 403]);
    }
  });

  it('refuses an API key of an owner, with every scope, each route that is not open to keys', async () => {
    const owner = await newWorkspace();
    const key = { name: 'All', scopes: SCOPE_NAMES };
    const made = await api('POST', '/api/auth/api-keys', { token: owner.token, body: key, expect: 201 });
    const closed = routes.filter(
      ({ service, route: { access } }) =>
        access && service !== 'marketplace-admin' && !(access.key ?? access.scope !== undefined),
    );
    expect(closed.length).toBeGreaterThan(50);
    for (const { service, route } of closed) {
      const answer = await api(route.method, concrete(route.path), { token: made.body.key });
      expect([line(service, route), answer.body?.code]).toEqual([line(service, route), 'API_KEY_REFUSED']);
    }
  });

  it("refuses a tenant's token at the operators' address", async () => {
    const { token } = await newWorkspace();
    for (const { service, route } of routes.filter(
      (entry) => entry.service === 'marketplace-admin' && !entry.route.public,
    )) {
      const answer = await client(addresses.adminUrl)(route.method, concrete(route.path), { token });
      expect([line(service, route), answer.status]).toEqual([line(service, route), 401]);
    }
  });

  it('refuses a reviewer every route that is for administrators, and opens it to them', async () => {
    const email = `reviewer-${randomUUID()}@platform.test`;
    await createOperator(email, 'reviewer');
    const reviewer = await operatorToken(email);
    const administrator = await operatorToken('operator@platform.test');
    const guarded = routes.filter(({ service, route }) => service === 'marketplace-admin' && !route.public);
    expect(guarded.filter(({ route }) => route.access?.right === 'administer').length).toBeGreaterThan(4);
    for (const { service, route } of guarded) {
      // They would end the session that the next routes are called with.
      if (/^\/api\/auth\/(logout|sessions)$/.test(route.path)) continue;
      const call = client(addresses.adminUrl);
      const allowed = route.access?.right !== 'administer';
      const refused = (await call(route.method, concrete(route.path), { token: reviewer })).status === 403;
      expect([line(service, route), refused]).toEqual([line(service, route), !allowed]);
      const answer = await call(route.method, concrete(route.path), { token: administrator });
      expect([line(service, route), answer.status === 403]).toEqual([line(service, route), false]);
    }
  });

  it('lists no route behind the gateway that its OpenAPI document lacks', async () => {
    const document = (await (await fetch(`${addresses.baseUrl}/api/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, Record<string, object>>;
    };
    expect(document.openapi).toMatch(/^3\.1/);
    const behindGateway = routes.filter(
      ({ service, route }) =>
        !['gateway', 'embed-gateway', 'marketplace-admin'].includes(service) && route.path.startsWith('/api/'),
    );
    const missing = behindGateway
      .filter(({ route }) => !document.paths[route.path.replace(/:([A-Za-z]+)/g, '{$1}')]?.[route.method.toLowerCase()])
      .map(({ service, route }) => line(service, route))
      .filter((text) => !text.includes('/api/openapi.json'));
    expect(missing).toEqual([]);
  });
});
