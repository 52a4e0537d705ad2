import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { client } from '../../scripts/demo/client.mjs';
import { type Account, admin, api, newUser, newWorkspace, operatorToken } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { inIdentity } from '../platform/identity-database.js';
import { createOperator, operatorToken as tokenOf } from '../platform/operators.js';
import { allowedBy, apiKeyOf, embedToken, type House, newHouse, ownToken, serviceAccount } from './house.js';
import {
  type DocumentedRoute,
  documentedRoutes,
  ENDS_ITS_CALLER,
  inParallel,
  isOfOperators,
  nameOf,
  withParameters,
} from './routes.js';
import { claimsOf } from './signer.js';

/** An address at which a token is presented: a route, at the edge or at the service itself. */
interface Place {
  readonly url: string;
  readonly route: DocumentedRoute;
}

/** What a cut-off must end. */
interface Cut {
  /** Tokens by name; those of API keys are known at the gateway alone. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly end: () => Promise<unknown>;
  /** After the answer to what ended them no call that is sent this much later may be accepted; a second by default. */
  readonly withinMs?: number;
  /** A token that is accepted afterwards; by default that of somebody else which was accepted before. */
  readonly goesOn?: () => Promise<string>;
}

const urlOf = (service: string): string => addresses.services[service]?.url as string;
const isApiKey = (token: string): boolean => token.startsWith('crmk_');
const NOTHING = '0199c0de-0000-7000-8000-00000000dead';

describe('a cut-off is in force at every address that takes a token', () => {
  let routes: DocumentedRoute[];
  let house: House;
  let bystander: Account;
  const measured: string[] = [];

  beforeAll(async () => {
    [routes, house, bystander] = await Promise.all([
      documentedRoutes().then((all) => all.filter((route) => !route.public)),
      newHouse(),
      newWorkspace(),
    ]);
  });
  afterAll(() => {
    process.stdout.write(`${['Last accepted after the cut-off was answered:', ...measured].join('\n  ')}\n`);
  });

  /** Every guarded route: a tenant's token is presented at the gateway and at the service, an operator's at their address. */
  function placesOf(token: string): Place[] {
    if (!isApiKey(token) && claimsOf(token).aud === 'platform-admin') {
      return routes.filter(isOfOperators).map((route) => ({ url: addresses.adminUrl, route }));
    }
    const ofTenants = routes.filter((route) => !isOfOperators(route));
    const atGateway = ofTenants.map((route) => ({ url: addresses.baseUrl, route }));
    return isApiKey(token)
      ? atGateway
      : [...atGateway, ...ofTenants.map((route) => ({ url: urlOf(route.service), route }))];
  }

  const present = async ({ url, route }: Place, token: string) => {
    const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
    const { status } = await client(url)(
      route.method,
      withParameters(route.path, () => NOTHING),
      {
        token,
        ...(hasBody && { body: {} }),
      },
    );
    return status;
  };

  /** One route of each process, with which it gets to know a token before that is cut off. */
  const everyProcess = (token: string) => [
    ...new Map(placesOf(token).map((place) => [`${place.url} ${place.route.service}`, place])).values(),
  ];

  const alive = async (tokens: Readonly<Record<string, string>>) => {
    for (const [name, token] of Object.entries(tokens)) {
      const statuses = await Promise.all(everyProcess(token).map((place) => present(place, token)));
      expect([name, statuses.filter((status) => status === 401)]).toEqual([name, []]);
    }
  };

  /**
   * Ends tokens and presents them everywhere until each address refuses them.
   */
  async function cut(what: string, { tokens, end, withinMs = 1000, goesOn }: Cut): Promise<void> {
    await alive({ ...tokens, bystander: bystander.token });
    await end();
    const endedAt = performance.now();
    let lastAccepted = 0;
    const places = Object.values(tokens).flatMap((token) => placesOf(token).map((place) => ({ ...place, token })));
    await inParallel(places, async ({ token, ...place }) => {
      // Were it accepted, it would end what the test wants to see ended by something else.
      const endsCaller = ENDS_ITS_CALLER.has(nameOf(place.route));
      for (;;) {
        const sentAt = performance.now() - endedAt;
        if (endsCaller && sentAt < withinMs) await new Promise((resolve) => setTimeout(resolve, withinMs - sentAt));
        const presentedAt = performance.now() - endedAt;
        if ((await present(place, token)) === 401) return;
        if (presentedAt > withinMs) {
          throw new Error(
            `${what}: ${place.url} ${nameOf(place.route)} accepts it after ${Math.round(presentedAt)} ms`,
          );
        }
        lastAccepted = Math.max(lastAccepted, presentedAt);
      }
    });
    measured.push(`${what}: ${Math.round(lastAccepted)} ms, ${places.length} addresses`);
    await alive({ bystander: goesOn ? await goesOn() : bystander.token });
  }

  /**
   * Records a cut-off that no call of the public addresses brings about today, as identity does: an app's is for a call of the
   * marketplace, a workspace's for one that nobody verified for a week. The sweep, which looks every second, publishes it.
   */
  const recordCutoff = (kind: 'app' | 'tenant', id: string) =>
    inIdentity('INSERT INTO pending_cutoff (tenant_id, kind, id, cutoff_ms) VALUES ($1, $2, $3, $4)', [
      bystander.tenantId,
      kind,
      id,
      Date.now(),
    ]);

  const remove = (path: string, token: string, status = 204) => api('DELETE', path, { token, expect: status });

  it('when a session ends, by its user and by an administrator', async () => {
    const { owner } = house;
    const [first, second] = [await newUser(owner, 'admin'), await newUser(owner, 'member')];
    await cut('signed out', {
      tokens: { session: first.token },
      end: () => api('POST', '/api/auth/logout', { token: first.token, expect: 204 }),
    });
    const session = claimsOf(second.token).sid;
    await cut('session ended by an administrator', {
      tokens: { session: second.token },
      end: () => remove(`/api/tenant/users/${second.userId}/sessions/${session}`, owner.token),
    });
  });

  it('when a user is disabled or erased, with all that acts for the user', async () => {
    const { owner, app } = house;
    const [disabled, erased] = [await newUser(owner, 'admin'), await newUser(owner, 'member')];
    const everythingOf = async (user: Account) => ({
      session: user.token,
      app: (await allowedBy(user, app)).accessToken,
      key: (await apiKeyOf(user, ['leads'])).key,
    });
    await cut('user disabled', {
      tokens: await everythingOf(disabled),
      end: () =>
        api('PATCH', `/api/tenant/users/${disabled.userId}`, {
          token: owner.token,
          body: { status: 'disabled' },
          expect: 200,
        }),
    });
    await cut('user erased', {
      tokens: await everythingOf(erased),
      end: () => api('POST', `/api/admin/users/${erased.userId}/erase`, { token: owner.token, expect: 204 }),
    });
  });

  it('when an API key ends, or the service account that it is of', async () => {
    const { owner } = house;
    const [own, service] = [await apiKeyOf(owner, ['leads']), await serviceAccount(owner, ['member'], ['leads'])];
    await cut('API key ended', {
      tokens: { key: own.key },
      end: () => remove(`/api/auth/api-keys/${own.id}`, owner.token),
    });
    await cut('service account deleted', {
      tokens: { key: service.key.key },
      end: () => remove(`/api/tenant/service-accounts/${service.id}`, owner.token),
    });
  });

  it('when a user takes back what an app was allowed, and when the app gives it back', async () => {
    const { owner, app } = house;
    const member = await newUser(owner, 'member');
    const grant = await allowedBy(member, app);
    const { body: grants } = await api('GET', '/api/auth/oauth/grants', { token: member.token, expect: 200 });
    await cut('OAuth grant ended', {
      tokens: { app: grant.accessToken },
      end: () => remove(`/api/auth/oauth/grants/${grants.data[0].id}`, member.token),
    });
    const again = await allowedBy(member, app);
    await cut('refresh token revoked by the app', {
      tokens: { app: again.accessToken },
      end: () =>
        fetch(`${addresses.baseUrl}/api/auth/oauth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ token: again.refreshToken, client_id: app.key }),
        }),
    });
  });

  it('when an app is uninstalled', async () => {
    const { owner, app } = house;
    const ofInstallation = async () => ({
      own: await ownToken(app),
      forUser: (await allowedBy(owner, app)).accessToken,
    });
    await cut('app uninstalled', {
      tokens: await ofInstallation(),
      end: () => remove(`/api/marketplace/installs/${app.installationId}`, owner.token, 200),
    });
  });

  it('when an app or a workspace is cut off as a whole', async () => {
    const [{ owner, app }, other] = [await newHouse(), await newHouse()];
    const ofApp = async () => ({
      own: await ownToken(app),
      forUser: (await allowedBy(owner, app)).accessToken,
      embed: await embedToken(app),
    });
    await cut('app cut off, found by the sweep', {
      tokens: await ofApp(),
      end: () => recordCutoff('app', app.key),
      withinMs: 2000,
      goesOn: async () => owner.token,
    });
    await cut('workspace closed, found by the sweep', {
      tokens: { session: owner.token, ...(await ofApp()), key: (await apiKeyOf(owner, ['leads'])).key },
      end: async () => {
        await inIdentity('UPDATE tenant SET closed_at = now() WHERE tenant_id = $1', [owner.tenantId]);
        await recordCutoff('tenant', owner.tenantId);
      },
      withinMs: 2000,
      goesOn: () => embedToken(other.app),
    });
  });

  it('when an operator is disabled', async () => {
    const [first, administrator] = [`reviewer-${Date.now()}@platform.test`, await operatorToken()];
    await createOperator(first, 'reviewer');
    const token = await tokenOf(first);
    await cut('operator disabled', {
      tokens: { operator: token },
      end: () =>
        admin('PATCH', `/api/admin/operators/${claimsOf(token).sub}`, {
          token: administrator,
          body: { status: 'disabled' },
          expect: 200,
        }),
    });
    expect((await admin('GET', '/api/auth/me', { token: administrator })).status).toBe(200);
  });

  // Last: it ends the tokens of every workspace, which is what it is for; sessions and API keys go on.
  it('when signing keys are withdrawn, and ends no API key', async () => {
    const owner = await newWorkspace();
    const { key } = await apiKeyOf(owner, ['leads']);
    expect((await api('GET', '/api/crm/leads', { token: key })).status).toBe(200);
    const command = path.join(import.meta.dirname, '..', 'platform', 'rotate-keys.mjs');
    await cut('signing keys withdrawn', {
      tokens: { session: owner.token },
      end: () => promisify(execFile)(process.execPath, [command, addresses.dataDir, 'api', '--revoke']),
      withinMs: 2000,
      goesOn: async () => (await newWorkspace()).token,
    });
    expect((await api('GET', '/api/crm/leads', { token: key })).status).toBe(200);
  });
});
