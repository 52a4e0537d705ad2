import { randomUUID } from 'node:crypto';
import type { AccessRule } from '@crm/access';
import { SCOPE_NAMES, SERVICES } from '@crm/contracts';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { client } from '../../scripts/demo/client.mjs';
import { operatorToken as demoOperatorToken } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { createOperator, operatorToken } from '../platform/operators.js';
import { type Caller, callersOf, type House, newHouse } from './house.js';
import {
  type DocumentedRoute,
  documentedRoutes,
  ENDS_ITS_CALLER,
  inParallel,
  isOfOperators,
  nameOf,
  withParameters,
} from './routes.js';
import { REFUSALS, refusalBy } from './rules.js';
import { claimsOf, type Sign, signerOf } from './signer.js';

/** What a call came to, in a line that names it. */
const outcome = (who: string, route: DocumentedRoute, text: string): string => `${who}: ${nameOf(route)}: ${text}`;

/** Calls a route with nothing in it. The gateway alone knows API keys. */
async function call(route: DocumentedRoute, token: string | undefined, parameter: () => string, isKey = false) {
  const url = isKey ? addresses.baseUrl : (addresses.services[route.service]?.url as string);
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
  return client(url)(route.method, withParameters(route.path, parameter), {
    ...(token !== undefined && { token }),
    ...(hasBody && { body: {} }),
  });
}

describe('every route of the OpenAPI documents', () => {
  let house: House;
  let callers: Caller[];
  let guarded: DocumentedRoute[];
  let routes: DocumentedRoute[];
  const wrong: string[] = [];

  beforeAll(async () => {
    [house, routes] = await Promise.all([newHouse(), documentedRoutes()]);
    callers = await callersOf(house);
    guarded = routes.filter((route) => !route.public);
  });

  it('is all that the services serve but pages and documents, with the same rules', async () => {
    for (const service of SERVICES) {
      const answer = await fetch(`${addresses.services[service]?.operationsUrl}/routes`);
      const served = (await answer.json()) as { method: string; path: string; public: boolean; access?: AccessRule }[];
      const asText = (route: { method: string; path: string; access?: AccessRule }) =>
        `${nameOf(route)} ${JSON.stringify(route.access ?? 'public')}`;
      const undocumented =
        /^GET \/(?:$|api\/(?:openapi\.json|docs)|docs\/certification|assets|records|settings|account|embed|problems|invitation|verify-email|undo-link|password-reset|email-change)(?:\b|$)/;
      const documented = routes.filter((route) => route.service === service).map(asText);
      const expected = served
        .map((route) => ({ ...route, path: route.path.replace(/:(\w+)/g, '{$1}') }))
        .filter((route) => !(route.public && undocumented.test(nameOf(route))))
        .map(asText);
      expect([service, ...documented.sort()]).toEqual([service, ...expected.sort()]);
    }
  });

  it('is called with tokens whose rights are what the test takes them for', () => {
    for (const { name, token, kind, roles, scopes } of callers.filter((caller) => caller.kind !== 'key')) {
      const claims = claimsOf(token);
      const isOwn = roles[0] === 'app';
      expect({ name, roles: claims.roles, scopes: [...claims.scopes].sort(), embed: claims.embed ?? false }).toEqual({
        name,
        roles: isOwn ? [`app:${house.app.key}`] : roles,
        scopes: [...(scopes ?? SCOPE_NAMES)].sort(),
        embed: kind === 'embed',
      });
    }
  });

  /** Holds what a caller gets against what the rule of the route says. */
  async function holdToRule(route: DocumentedRoute, caller: Caller & { readonly exists: boolean }): Promise<void> {
    if (!route.access) throw new Error(`${nameOf(route)} has no rule in its document`);
    // The session of someone who does not exist was never proven.
    const unproven = route.access.proof && !caller.exists ? 'STEP_UP_REQUIRED' : undefined;
    const expected = refusalBy(route.access, caller) ?? unproven;
    // A refusal comes before anything of the call is looked at, so that its ids are none.
    const { status, body } = await call(
      route,
      caller.token,
      expected ? () => '-' : () => randomUUID(),
      caller.kind === 'key',
    );
    const got = `${status} ${body?.code ?? ''}`;
    const isRight = expected
      ? got === `403 ${expected}`
      : status !== 429 && status < 500 && !REFUSALS.includes(body?.code);
    if (!isRight) wrong.push(outcome(caller.name, route, `${got}, not ${expected ? `403 ${expected}` : 'let in'}`));
  }

  const holdAll = (routes: readonly DocumentedRoute[], callers: readonly Caller[], sign: Sign) =>
    inParallel(
      routes.flatMap((route) => callers.map((caller) => ({ route, caller }))),
      ({ route, caller }) => {
        const isLast = caller.kind === 'user' && ENDS_ITS_CALLER.has(nameOf(route));
        const token = isLast ? sign(caller.token, { sub: randomUUID(), sid: randomUUID() }) : caller.token;
        return holdToRule(route, { ...caller, token, exists: !isLast });
      },
    );

  it('lets in whom its rule names, and refuses everyone else before it looks at the call', async () => {
    const ofTenants = guarded.filter((route) => !isOfOperators(route));
    expect(ofTenants.length).toBeGreaterThan(150);
    await holdAll(ofTenants, callers, await signerOf('api'));
    expect(wrong.splice(0)).toEqual([]);
  });

  it('of the operators lets in whom its rule names', async () => {
    const email = `reviewer-${randomUUID()}@platform.test`;
    await createOperator(email, 'reviewer');
    const operators: Caller[] = [
      { name: 'reviewer', kind: 'user', roles: ['reviewer'], token: await operatorToken(email) },
      { name: 'administrator', kind: 'user', roles: ['administrator'], token: await demoOperatorToken() },
    ];
    const ofOperators = guarded.filter(isOfOperators);
    expect(ofOperators.length).toBeGreaterThan(20);
    await holdAll(ofOperators, operators, await signerOf('admin'));
    expect(wrong.splice(0)).toEqual([]);
  });

  it('refuses tokens that are none, have expired, or are of another audience or key', async () => {
    const [sign, signAsAdmin] = [await signerOf('api'), await signerOf('admin')];
    const owner = house.owner.token;
    const operator = await demoOperatorToken();
    const now = Math.floor(Date.now() / 1000);
    const ofTenants: Record<string, string | undefined> = {
      'no token': undefined,
      'an unsigned token': 'eyJhbGciOiJub25lIn0.e30.',
      'some text': randomUUID(),
      'an expired token': sign(owner, { iat: now - 1000, exp: now - 100 }),
      'a token that outlives every token': sign(owner, { iat: now - 1000, exp: now + 1000 }),
      "an operator's token": operator,
      "an operator's token with a tenant": signAsAdmin(owner, { aud: 'platform-api' }),
      "a tenant's token for operators": sign(operator, { aud: 'platform-admin' }),
    };
    // Services take internal tokens over NATS alone.
    const internal = { 'an internal token': sign(owner, { aud: 'platform-internal' }) };
    const others = Object.fromEntries(
      callers.filter(({ roles }) => roles[0] !== 'viewer').map(({ name, token }) => [`the tenants' ${name}`, token]),
    );
    const ofOperators = {
      ...ofTenants,
      ...internal,
      ...others,
      'an expired token': signAsAdmin(operator, { iat: now - 1000, exp: now - 100 }),
    };
    Reflect.deleteProperty(ofOperators, "an operator's token");
    await inParallel(
      guarded.flatMap((route) =>
        Object.entries(isOfOperators(route) ? ofOperators : { ...ofTenants, ...internal }).map(([name, token]) => ({
          route,
          name,
          token,
        })),
      ),
      async ({ route, name, token }) => {
        const { status, headers } = await call(route, token, () => '-');
        const isRight = status === 401 && headers.get('www-authenticate')?.includes('Bearer');
        if (!isRight) wrong.push(outcome(name, route, `${status}, not 401`));
      },
    );
    expect(wrong.splice(0)).toEqual([]);
  });
});
