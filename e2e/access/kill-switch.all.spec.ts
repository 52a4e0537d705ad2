import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { client, eventually } from '../../scripts/demo/client.mjs';
import { type Account, admin, api, newUser, newWorkspace, operatorToken, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { createOperator, operatorToken as tokenOf } from '../platform/operators.js';
import {
  allowedBy,
  apiKeyOf,
  embedToken,
  type House,
  LEFT_OUT,
  newHouse,
  oauth,
  ownToken,
  serviceAccount,
} from './house.js';
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
interface Target {
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
  /** At every address instead of at one of each process, whose guard all of its routes have: once for each kind of token. */
  readonly everywhere?: boolean;
  /** A token that is accepted afterwards; by default that of someone else which was accepted before. */
  readonly goesOn?: () => Promise<string>;
}

const urlOf = (service: string): string => addresses.services[service]?.url as string;
const isDeep = process.env.DEEP === '1';
const isApiKey = (token: string): boolean => token.startsWith('crmk_');
const NOTHING = '0199c0de-0000-7000-8000-00000000dead';

/** A workflow that an upstream system starts. @returns the path of its hook */
async function hookOf({ token }: Account): Promise<string> {
  const body = {
    name: 'On a call',
    trigger: { type: 'webhook_received' },
    actions: [{ type: 'create_task', title: 'Look at it' }],
  };
  const { body: workflow } = await api('POST', '/api/crm/automations/workflows', { token, body, expect: 201 });
  return new URL(workflow.hookUrl).pathname;
}

describe('a cut-off is in force wherever a token is taken', () => {
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
  function targetsOf(token: string): Target[] {
    if (!isApiKey(token) && claimsOf(token).aud === 'platform-admin') {
      return routes.filter(isOfOperators).map((route) => ({ url: addresses.adminUrl, route }));
    }
    const ofTenants = routes.filter((route) => !isOfOperators(route));
    const atGateway = ofTenants.map((route) => ({ url: addresses.baseUrl, route }));
    return isApiKey(token)
      ? atGateway
      : [...atGateway, ...ofTenants.map((route) => ({ url: urlOf(route.service), route }))];
  }

  const present = async ({ url, route }: Target, token: string) => {
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
    ...new Map(targetsOf(token).map((target) => [`${target.url} ${target.route.service}`, target])).values(),
  ];

  const alive = async (tokens: Readonly<Record<string, string>>) => {
    for (const [name, token] of Object.entries(tokens)) {
      const statuses = await Promise.all(everyProcess(token).map((target) => present(target, token)));
      expect([name, statuses.filter((status) => status === 401)]).toEqual([name, []]);
    }
  };

  /**
   * Ends tokens and presents them, everywhere or at one address of each process, until all of these refuse them.
   */
  async function cut(what: string, { tokens, end, withinMs = 1000, goesOn, everywhere = isDeep }: Cut): Promise<void> {
    await alive({ ...tokens, bystander: bystander.token });
    await end();
    const endedAt = performance.now();
    let lastAccepted = 0;
    const at = everywhere ? targetsOf : everyProcess;
    const targets = Object.values(tokens).flatMap((token) => at(token).map((target) => ({ ...target, token })));
    await inParallel(targets, async ({ token, ...target }) => {
      // Were it accepted, it would end what the test wants to see ended by something else.
      const endsCaller = ENDS_ITS_CALLER.has(nameOf(target.route));
      for (;;) {
        const sentAt = performance.now() - endedAt;
        if (endsCaller && sentAt < withinMs) await new Promise((resolve) => setTimeout(resolve, withinMs - sentAt));
        const presentedAt = performance.now() - endedAt;
        if ((await present(target, token)) === 401) return;
        if (presentedAt > withinMs) {
          throw new Error(
            `${what}: ${target.url} ${nameOf(target.route)} accepts it after ${Math.round(presentedAt)} ms`,
          );
        }
        lastAccepted = Math.max(lastAccepted, presentedAt);
      }
    });
    measured.push(`${what}: ${Math.round(lastAccepted)} ms, ${targets.length} addresses`);
    await alive({ bystander: goesOn ? await goesOn() : bystander.token });
  }

  /** What operators do to an app or a workspace as a whole. */
  const decide = async (path: string) =>
    admin('POST', path, { token: await operatorToken(), body: { reason: 'It does harm' }, expect: 200 });

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

  it('when a user leaves an app fewer scopes, and a token from after that is accepted', async () => {
    const { owner, app } = house;
    const member = await newUser(owner, 'member');
    const grant = await allowedBy(member, app);
    const { token } = member;
    const { body: grants } = await api('GET', '/api/auth/oauth/grants', { token, expect: 200 });
    const [{ id, scopes: given }] = grants.data;
    const scopes = given.filter((scope: string) => scope !== LEFT_OUT);
    await cut('OAuth grant narrowed', {
      tokens: { app: grant.accessToken },
      end: () => api('PATCH', `/api/auth/oauth/grants/${id}`, { token, body: { scopes }, expect: 200 }),
      everywhere: true,
      goesOn: async () => {
        const form = { grant_type: 'refresh_token', client_id: app.key, refresh_token: grant.refreshToken };
        return (await oauth('token', form)).body.access_token as string;
      },
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

  it('when operators revoke an app', async () => {
    const [{ owner, app }, other] = [await newHouse(), await newHouse()];
    await cut('app revoked', {
      tokens: {
        own: await ownToken(app),
        forUser: (await allowedBy(owner, app)).accessToken,
        embed: await embedToken(app),
      },
      end: () => decide(`/api/admin/apps/${app.key}/revoke`),
      goesOn: () => embedToken(other.app),
    });
    expect((await api('GET', '/api/auth/me', { token: owner.token })).status).toBe(200);
  });

  it('when operators suspend a workspace, and when they reinstate it', async () => {
    const [{ owner, app }, other] = [await newHouse(), await newHouse()];
    const everything = async (token: string) => ({
      session: token,
      own: await ownToken(app),
      forUser: (await allowedBy({ ...owner, token }, app)).accessToken,
      embed: await embedToken(app),
    });
    const hook = await hookOf(owner);
    const [{ key }, unused] = [await apiKeyOf(owner, ['leads']), await apiKeyOf(owner, ['leads'])];
    const tokens = await everything(owner.token);
    const path = `/api/admin/tenants/${owner.tenantId}`;
    await cut('workspace suspended', {
      tokens: { ...tokens, key },
      end: () => decide(`${path}/suspend`),
      everywhere: true,
      goesOn: () => embedToken(other.app),
    });
    const credentials = { email: owner.email, password: PASSWORD };
    expect((await api('POST', '/api/auth/login', { body: credentials })).body.code).toBe('WORKSPACE_SUSPENDED');
    expect((await api('POST', hook, { body: {} })).status).toBe(404);

    await decide(`${path}/reinstate`);
    const reinstatedAt = performance.now();
    const again = await eventually(async () => {
      const { status, body } = await api('POST', '/api/auth/login', { body: credentials });
      return status === 200 ? (body.accessToken as string) : undefined;
    }, 'people to sign in again');
    // Far below the ten seconds for which a refusal may be kept.
    expect(performance.now() - reinstatedAt).toBeLessThan(5000);
    // Those from before the suspension are as dead as they were.
    await inParallel(
      Object.values(tokens).flatMap((token) => everyProcess(token).map((target) => ({ ...target, token }))),
      async ({ token, ...target }) => {
        expect([nameOf(target.route), await present(target, token)]).toEqual([nameOf(target.route), 401]);
      },
    );
    await alive(await everything(again));
    expect((await api('POST', hook, { body: {} })).status).toBe(202);
    // The other one the gateway takes for invalid for ten seconds more.
    expect((await api('GET', '/api/crm/leads', { token: unused.key })).status).toBe(200);
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
      everywhere: true,
    });
    expect((await admin('GET', '/api/auth/me', { token: administrator })).status).toBe(200);
  });

  // Last: it ends the tokens of every workspace, which is what it is for; sessions and API keys go on.
  it('when signing keys are withdrawn, and ends no API key', async () => {
    const owner = await newWorkspace();
    const { key } = await apiKeyOf(owner, ['leads']);
    expect((await api('GET', '/api/crm/leads', { token: key })).status).toBe(200);
    const command = path.join(import.meta.dirname, '..', '..', 'scripts', 'service-program.mjs');
    const args = [command, 'rotate-keys', 'identity', '--data', addresses.dataDir, 'api', '--revoke'];
    await cut('signing keys withdrawn', {
      tokens: { session: owner.token },
      end: () => promisify(execFile)(process.execPath, args),
      withinMs: 2000,
      goesOn: async () => (await newWorkspace()).token,
    });
    expect((await api('GET', '/api/crm/leads', { token: key })).status).toBe(200);
  });
});
