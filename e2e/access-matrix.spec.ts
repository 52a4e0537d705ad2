import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { AccessRule } from '@crm/access';
import { SERVICES } from '@crm/contracts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { addresses } from './platform/addresses.js';

interface Route {
  method: string;
  path: string;
  public: boolean;
  access?: AccessRule;
}

/** A line of the matrix: who may call a route, whether it needs a recent proof, and what it has to do with all workspaces of a person. */
const line = (service: string, { method, path, access, ...route }: Route): string => {
  const rule = route.public
    ? 'public'
    : [
        access?.right,
        access?.scope ? `scope ${access.scope}` : 'no scope',
        ...(access?.embed === undefined ? [] : [`embed ${access.embed}`]),
        ...(access?.app === undefined ? [] : [`app ${access.app}`]),
        ...(access?.key === undefined ? [] : [`key ${access.key}`]),
        `proof ${access?.proof ?? false}`,
        ...(access?.person === undefined ? [] : [`person ${access.person}`]),
      ].join(', ');
  return `${service} ${method} ${path}: ${rule}`;
};

const routesOf = async (service: string): Promise<Route[]> =>
  (await (await fetch(`${addresses.services[service]?.operationsUrl}/routes`)).json()) as Route[];

/** What the rules come to for every kind of caller is in access/matrix.spec.ts. */
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
