import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, client } from '../../scripts/demo/client.mjs';
import { api } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { type Belongings, belongingsOf, nothingLike, type Values } from './belongings.js';
import { type Caller, callersOf, type House, newHouse } from './house.js';
import { type DocumentedRoute, documentedRoutes, inParallel, isOfOperators, nameOf, withParameters } from './routes.js';
import { refusalBy } from './rules.js';

/** The listing of the marketplace is the same for every workspace. */
const OF_EVERYBODY = '/api/marketplace/apps/';

/** Bodies that are right but for what they are sent to. */
const MERGED = ['custom/{apiName}/records', 'leads', 'contacts', 'companies', 'opportunities', 'tasks'];
const BODIES: Readonly<Record<string, object>> = {
  ...Object.fromEntries(MERGED.map((path) => [`POST /api/crm/${path}/{id}/merge`, { loserId: randomUUID() }])),
  'PATCH /api/tenant/users/{id}': { name: 'Changed' },
  'PATCH /api/auth/passkeys/{id}': { name: 'Changed' },
  'PATCH /api/tenant/service-accounts/{id}': { name: 'Changed' },
  'POST /api/tenant/service-accounts/{id}/api-keys': { name: 'Stolen' },
  'PATCH /api/tenant/identity-providers/{id}': { name: 'Changed' },
  'POST /api/auth/oauth/requests/{id}/decision': { decision: 'approve' },
  'PATCH /api/auth/oauth/grants/{id}': { scopes: ['leads:read'] },
  'POST /api/crm/custom/{apiName}/records': { title: 'Changed' },
  'PATCH /api/crm/custom/{apiName}/records/{id}': { title: 'Changed' },
  'PUT /api/crm/custom/{apiName}/apps/{key}': { access: 'read' },
  'PUT /api/crm/objects/{apiName}/fields/{field}/options': { options: [] },
  'PATCH /api/crm/pipelines/{id}': { name: 'Changed' },
  'PATCH /api/crm/leads/{id}': { lastName: 'Changed' },
  'POST /api/crm/custom/{apiName}/records/bulk': { operation: 'create', records: [{ title: 'x' }] },
  'PATCH /api/crm/contacts/{id}': { lastName: 'Changed' },
  'PATCH /api/crm/companies/{id}': { name: 'Changed' },
  'PATCH /api/crm/opportunities/{id}': { name: 'Changed' },
  'PATCH /api/crm/tasks/{id}': { title: 'Changed' },
  'PATCH /api/crm/automations/workflows/{id}': { enabled: false },
  'PATCH /api/webhooks/subscriptions/{id}': { description: 'Changed' },
  'POST /api/webhooks/subscriptions/{id}/recover': { since: new Date(Date.now() - 60_000).toISOString() },
  'POST /api/marketplace/developer/apps/{key}/trigger': { event: 'lead.created' },
};

/** Whatever an answer says but for the ids that were asked for. */
function tellingOf({ status, headers, body }: Answer, values: Values): unknown {
  const { requestId: _, instance: __, ...rest } = body ?? {};
  const said = Object.values(values).reduce((text, value) => text.replaceAll(value, '<asked>'), JSON.stringify(rest));
  return { status, said, headers: [...headers.keys()].sort() };
}

const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

describe("another workspace's things", () => {
  let mine: House;
  let belongings: Belongings;
  let strangers: Caller[];
  let ownOfStrangers: Belongings;
  let routes: DocumentedRoute[];

  beforeAll(async () => {
    const [house, other] = [await newHouse(), await newHouse()];
    mine = house;
    belongings = await belongingsOf(house);
    ownOfStrangers = await belongingsOf(other);
    strangers = await callersOf(other);
    routes = (await documentedRoutes()).filter(
      (route) =>
        !route.public && !isOfOperators(route) && route.path.includes('{') && !route.path.startsWith(OF_EVERYBODY),
    );
  });

  const under = (things: Belongings, path: string) =>
    things.filter(([prefix, values]) => path.startsWith(prefix) && parametersOf(path).every((name) => name in values));

  /** Everything of mine, and a part of mine below something of the stranger's own. */
  function foreignValues({ path }: DocumentedRoute): { asked: Values; absent: Values }[] {
    const names = parametersOf(path);
    const last = names.at(-1) as string;
    return under(belongings, path).flatMap(([prefix, values]) => {
      const isShared = values.apiName === 'visit';
      // An object of the stranger's own then, and an app, which is nobody's thing.
      const isOwn = isShared && last !== 'id';
      const whole = isOwn ? [] : [values];
      const own = under(ownOfStrangers, path).find(
        ([other, { apiName }]) => other === prefix && (apiName === 'visit') === isShared,
      );
      const hasPart = names.length > 1 && last !== 'version' && last !== 'key';
      const part = hasPart && own ? [{ ...own[1], [last]: values[last] as string }] : [];
      return [...whole, ...part].map((asked) => ({ asked, absent: absentFor(asked, values, names) }));
    });
  }

  /** What is mine in place of what names nothing; the rest stays. */
  const absentFor = (asked: Values, values: Values, names: readonly string[]): Values =>
    Object.fromEntries(
      names.map((name) => {
        const value = asked[name] as string;
        const isMine = value === values[name] && name !== 'version' && value !== 'visit';
        return [name, isMine ? nothingLike(value) : value];
      }),
    );

  const call = (route: DocumentedRoute, values: Values, { token, kind }: Pick<Caller, 'token' | 'kind'>) => {
    const url = kind === 'key' ? addresses.baseUrl : (addresses.services[route.service]?.url as string);
    const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
    return client(url)(
      route.method,
      withParameters(route.path, (name) => values[name] as string),
      {
        token,
        ...(hasBody && { body: route.path.endsWith('/notes') ? { text: 'Stolen' } : (BODIES[nameOf(route)] ?? {}) }),
      },
    );
  };

  /** What I see of mine: every GET with an id, and the lists of what has none. */
  async function seen(): Promise<Record<string, unknown>> {
    const { token } = mine.owner;
    const found: Record<string, unknown> = {};
    for (const route of routes.filter(({ method, path }) => method === 'GET' && !path.endsWith('/listen'))) {
      for (const [, values] of under(belongings, route.path)) {
        const { status } = await call(route, values, { token, kind: 'user' });
        found[`${nameOf(route)} ${values.apiName ?? ''}`] = status;
      }
    }
    for (const path of ['auth/api-keys', 'auth/passkeys', 'auth/oauth/grants', 'tenant/domains', 'tenant/users']) {
      found[path] = (await api('GET', `/api/${path}`, { token, expect: 200 })).body.data.length;
    }
    return found;
  }

  it('answer like what does not exist, on every route that names one, and stay as they are', async () => {
    const before = await seen();
    const unnamed = routes.filter((route) => foreignValues(route).length === 0).map(nameOf);
    expect(unnamed).toEqual([]);
    const calls = routes.flatMap((route) =>
      foreignValues(route).flatMap((values) =>
        strangers
          .filter((caller) => route.access && refusalBy(route.access, caller) === undefined)
          .map((caller) => ({ route, caller, ...values })),
      ),
    );
    expect(new Set(calls.map(({ route }) => nameOf(route))).size).toBe(routes.length);
    const wrong: unknown[] = [];
    const notFound = new Set<string>();
    await inParallel(calls, async ({ route, caller, asked, absent }) => {
      const toAbsent = await call(route, absent, caller);
      const toAsked = await call(route, asked, caller);
      if (toAbsent.status === 404 || toAbsent.body?.code === 'INVALID_AUTHORIZATION_REQUEST')
        notFound.add(nameOf(route));
      const [expected, got] = [tellingOf(toAbsent, absent), tellingOf(toAsked, asked)];
      const isSame = JSON.stringify(expected) === JSON.stringify(got);
      if (!isSame || toAsked.status < 400 || toAsked.status >= 500) {
        wrong.push({ route: nameOf(route), caller: caller.name, expected, got });
      }
    });
    expect(wrong).toEqual([]);
    // Each route got as far as looking for what it was asked for.
    expect(routes.map(nameOf).filter((name) => !notFound.has(name))).toEqual([]);
    expect(await seen()).toEqual(before);
  });
});
