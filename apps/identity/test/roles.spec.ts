import { randomUUID } from 'node:crypto';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { answerRpc } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ROLES_PER_TENANT } from '../src/roles/role.service.js';
import { auditOf } from './audit.js';
import { type Account, newEmail, outcome, PASSWORD, TestIdentity } from './identity.js';

const PATH = '/api/tenant/roles';
const BUILT_IN = ['owner', 'admin', 'member', 'viewer'];

const identity = TestIdentity.ofFile();

type Field = RpcResponse<typeof rpc.customObjects.listFieldsOfRoles>['fields'];
type Asked = RpcRequest<typeof rpc.customObjects.listFieldsOfRoles>;

/** What the marketplace and custom-objects answer, as long as they are there. */
let brought: RpcResponse<typeof rpc.marketplace.listRoles>['roles'] = [];
let fieldsOf: (asked: Asked) => Field = () => [];
let neighbours: { close(): Promise<void> }[] = [];
const answer = async () => {
  neighbours = [
    await answerRpc(rpc.marketplace.listRoles, ({ tenantId }) => ({
      roles: tenantId === owner.tenantId ? brought : [],
    })),
    await answerRpc(rpc.customObjects.listFieldsOfRoles, (asked) => ({ fields: fieldsOf(asked) })),
  ];
};
const away = async () => {
  for (const neighbour of neighbours.splice(0)) await neighbour.close();
};
beforeAll(answer);
afterAll(away);

let owner: Account;
beforeEach(async () => {
  [brought, fieldsOf] = [[], () => []];
  owner = await identity.account();
});

const make = (name: string, label = 'Sales', by = owner) => identity.send('POST', PATH, by, { name, label });
const remove = (name: string, by = owner) => identity.send('DELETE', `${PATH}/${name}`, by);
const roles = async (by = owner) => (await identity.send('GET', PATH, by)).body.data as unknown as { name: string }[];
const added = async () => (await roles()).filter(({ name }) => !BUILT_IN.includes(name));
const give = (roles: string[], userId = owner.userId, by = owner) => identity.changeUser(by, userId, { roles });
const addUser = (roles: string[], more: object = { password: PASSWORD }) =>
  identity.send('POST', '/api/tenant/users', owner, { email: newEmail(), name: 'Grace', roles, ...more });
const addAccount = (roles: string[]) =>
  identity.send('POST', '/api/tenant/service-accounts', owner, { name: 'ERP', roles, scopes: ['leads'] });
const CONFLICT = [409, 'CONFLICT'];

describe('the roles of a workspace', () => {
  it('are the built-in ones, its own and those of apps, with the apps that bring them', async () => {
    expect((await make('sales', ' Sales ')).body).toEqual({
      ...{ name: 'sales', label: 'Sales', origin: 'workspace', appKeys: [] },
    });
    brought = [
      { appKey: 'acme-visits', name: 'planner', label: 'Planner' },
      { appKey: 'beta-routes', name: 'planner', label: 'Route planner' },
      // It came after the workspace had made it.
      { appKey: 'acme-visits', name: 'sales', label: 'Seller' },
    ];
    const all = await roles();
    expect(all.slice(0, 4)).toMatchObject(BUILT_IN.map((name) => ({ name, origin: 'builtin', appKeys: [] })));
    expect(all[0]).toMatchObject({ label: 'Owner' });
    expect(all.slice(4)).toEqual([
      { name: 'planner', label: 'Planner', origin: 'app', appKeys: ['acme-visits', 'beta-routes'] },
      { name: 'sales', label: 'Sales', origin: 'workspace', appKeys: ['acme-visits'] },
    ]);
    expect(await roles(await identity.account())).toHaveLength(4);
  });

  it('keep that of an app that is gone while someone has it', async () => {
    brought = [{ appKey: 'acme-visits', name: 'planner', label: 'Planner' }];
    const member = await identity.member(owner, ['member', 'planner']);
    brought = [];
    expect(await added()).toEqual([{ name: 'planner', label: 'planner', origin: 'app', appKeys: [] }]);
    // Who has it can be changed, and others can be given it as well.
    expect((await give(['viewer', 'planner'], member.userId)).status).toBe(200);
    expect((await give(['viewer'], member.userId)).status).toBe(200);
    expect(await added()).toEqual([]);
    expect((await give(['viewer', 'planner'], member.userId)).body.code).toBe('VALIDATION_FAILED');
  });

  it('are listed, made and removed by administrators alone', async () => {
    const { admin, member } = { admin: await identity.member(owner, ['admin']), member: await identity.member(owner) };
    expect((await make('sales', 'Sales', admin)).status).toBe(201);
    for (const call of [make('hr', 'HR', member), remove('sales', member), identity.send('GET', PATH, member)]) {
      expect(await outcome(call)).toEqual([403, 'FORBIDDEN']);
    }
    expect((await remove('sales', admin)).status).toBe(204);
    const entries = (await auditOf(identity, owner)).filter(({ action }) => action.startsWith('role.'));
    expect(entries).toMatchObject(
      ['role.removed', 'role.added'].map((action) => ({
        ...{ action, actor: { id: admin.userId }, subject: { kind: 'role', id: 'sales' } },
      })),
    );
  });

  it('cannot be listed while the marketplace is away, as some would be missing', async () => {
    await away();
    try {
      for (const call of [identity.send('GET', PATH, owner), make('sales')]) expect((await call).status).toBe(503);
    } finally {
      await answer();
    }
  });
});

describe('making a role', () => {
  it.each(['HR', 'sales team', 'x'.repeat(41), '1st', ''])('refuses the name %j', async (name) => {
    expect(await outcome(make(name))).toEqual([422, 'VALIDATION_FAILED']);
  });

  it.each([...BUILT_IN, 'app', 'operator', 'system'])('refuses %s, which is the platform’s', async (name) => {
    const { status, body } = await make(name);
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/name', code: 'RESERVED' }]]);
  });

  it('refuses one that is there, no matter who made it, and more than there may be', async () => {
    brought = [{ appKey: 'acme-visits', name: 'planner', label: 'Planner' }];
    const answered = await make('planner');
    expect(await outcome(answered)).toEqual(CONFLICT);
    expect(answered.body.detail).toContain('acme-visits');
    const made = await Promise.all(['sales', 'sales', 'sales'].map((name) => make(name)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    for (let made = 1; made < ROLES_PER_TENANT; made += 1) await identity.role(owner, `role-${made}`);
    expect(await outcome(make('one-more'))).toEqual(CONFLICT);
  });
});

describe('removing a role', () => {
  beforeEach(() => make('sales'));

  it.each<[string, (name: string) => Promise<unknown>]>([
    ['a user', (name) => identity.member(owner, [name])],
    ['somebody who is invited', (name) => addUser([name], {})],
    ['a service account', (name) => addAccount(['member', name])],
    [
      'an identity provider',
      (name) =>
        identity.query(
          owner.tenantId,
          `INSERT INTO identity_provider (tenant_id, id, name, issuer, scopes, enabled, default_roles, requires_verified_email,
             second_factor_values) VALUES ($1, $2, 'Own', 'https://login.example.com', '{}', false, $3, true, '{}')`,
          [owner.tenantId, randomUUID(), [name]],
        ),
    ],
  ])('is refused while %s has it', async (_, hold) => {
    await hold('sales');
    expect(await outcome(remove('sales'))).toEqual(CONFLICT);
    expect(await added()).toMatchObject([{ name: 'sales' }]);
  });

  it('is refused while a field names it, and while nobody knows', async () => {
    const asked: Asked[] = [];
    fieldsOf = (request) => {
      asked.push(request);
      return ['work_order.margin'];
    };
    const answered = await remove('sales');
    expect(await outcome(answered)).toEqual(CONFLICT);
    expect(answered.body.detail).toContain('work_order.margin');
    expect(asked).toEqual([{ tenantId: owner.tenantId, roles: ['sales'], held: [] }]);
    await away();
    expect((await remove('sales')).status).toBe(503);
    await answer();
    fieldsOf = () => [];
    expect((await remove('sales')).status).toBe(204);
    expect(await added()).toEqual([]);
  });

  it('finds neither one of another workspace nor one that the workspace has not made', async () => {
    brought = [{ appKey: 'acme-visits', name: 'planner', label: 'Planner' }];
    const stranger = await identity.account();
    for (const call of [remove('sales', stranger), remove('planner'), remove('owner'), remove('no such role')]) {
      expect(await outcome(call)).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('is done again when the user who had it was removed', async () => {
    const member = await identity.member(owner, ['sales']);
    expect((await identity.send('DELETE', `/api/tenant/users/${member.userId}`, owner)).status).toBe(204);
    expect((await remove('sales')).status).toBe(204);
  });

  it('while it is given leaves nobody with a role that is not there', async () => {
    const member = await identity.member(owner);
    for (let round = 0; round < 10; round += 1) {
      const [given, removed] = await Promise.all([give(['member', 'sales'], member.userId), remove('sales')]);
      expect([given.status, removed.status]).toEqual(given.status === 200 ? [200, 409] : [given.status, 204]);
      if (given.status !== 200) expect([409, 422]).toContain(given.status);
      await give(['member'], member.userId);
      if (removed.status === 204) await make('sales');
    }
  });
});

describe('giving a role', () => {
  const unknown = (pointer: string) => [422, [{ pointer, code: 'UNKNOWN_ROLE' }]];
  const problem = async (call: ReturnType<typeof make>) => {
    const { status, body } = await call;
    return [status, body.errors];
  };

  it('that is unknown is refused by name, for every caller', async () => {
    const member = await identity.member(owner);
    const account = (await addAccount(['member'])).body.id;
    const roles = ['member', 'salse'];
    for (const call of [
      addUser(roles),
      addUser(roles, {}),
      give(roles, member.userId),
      addAccount(roles),
      identity.send('PATCH', `/api/tenant/service-accounts/${account}`, owner, { roles }),
    ]) {
      expect(await problem(call)).toMatchObject(unknown('/roles/1'));
    }
    const provider = { name: 'Own', issuer: 'https://login.example.com', defaultRoles: roles };
    const created = identity.send('POST', '/api/tenant/identity-providers', owner, provider);
    expect(await problem(created)).toMatchObject(unknown('/defaultRoles/1'));
    expect((await addUser(roles)).body.errors).toMatchObject([{ detail: 'Unknown role "salse"' }]);
  });

  it('of another workspace is refused like one that does not exist', async () => {
    await make('sales', 'Sales', await identity.account());
    expect(await problem(addUser(['sales']))).toMatchObject(unknown('/roles/0'));
  });

  it('of an app needs the marketplace, any other does not', async () => {
    brought = [{ appKey: 'acme-visits', name: 'planner', label: 'Planner' }];
    expect((await addUser(['member', 'planner'])).status).toBe(201);
    brought.push({ appKey: 'acme-visits', name: 'fitter', label: 'Fitter' });
    await make('sales');
    await away();
    try {
      for (const known of ['admin', 'sales', 'planner']) {
        expect((await addUser(['member', known])).status).toBe(201);
        expect((await addAccount(['member', known])).status).toBe(201);
      }
      expect((await addUser(['member', 'fitter'])).status).toBe(503);
    } finally {
      await answer();
    }
    expect((await addUser(['member', 'fitter'])).status).toBe(201);
  });

  it('to oneself is in the trail with the fields that it opens', async () => {
    await make('sales');
    await make('hr');
    const asked: Asked[] = [];
    fieldsOf = (request) => {
      asked.push(request);
      return request.roles.includes('hr') ? ['employee.salary'] : [];
    };
    const admin = await identity.member(owner, ['admin']);
    const detail = async () => (await auditOf(identity, owner, '&action=user.roles_changed'))[0]?.detail;
    const become = async (roles: string[]) => {
      const { accessToken } = await identity.signedIn(admin.email);
      expect((await give(roles, admin.userId, { ...admin, accessToken })).status).toBe(200);
      return detail();
    };
    expect(await become(['admin', 'sales'])).toEqual({ from: ['admin'], to: ['admin', 'sales'] });
    expect(asked.splice(0)).toEqual([{ tenantId: owner.tenantId, roles: ['sales'], held: ['admin'] }]);
    const opened = { opensFields: true, fields: ['employee.salary'] };
    expect(await become(['admin', 'hr'])).toEqual({ from: ['admin', 'sales'], to: ['admin', 'hr'], ...opened });
    // It takes a role away, and nobody has to know what fields name.
    expect(asked.splice(0)).toHaveLength(1);
    expect(await become(['admin'])).not.toHaveProperty('opensFields');
    expect(asked).toEqual([]);
    await away();
    try {
      expect(await become(['admin', 'hr'])).toMatchObject({ opensFields: 'unknown' });
    } finally {
      await answer();
    }
    // To someone else.
    const other = await identity.member(owner);
    await give(['member', 'hr'], other.userId);
    expect(await detail()).toEqual({ from: ['member'], to: ['member', 'hr'] });
  });
});
