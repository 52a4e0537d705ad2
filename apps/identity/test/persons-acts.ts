import { expect } from '@jest/globals';
import type { AsyncCommand } from 'fast-check';
import { unpackToken } from '../src/secrets.js';
import { outcome } from './identity.js';
import { tokenIn } from './mail-server.js';
import type { Local, Model, World } from './persons-model.js';

export type Command = AsyncCommand<Model, World>;

type Act = (model: Model, world: World, address: number, workspace: number) => Promise<void>;
type When = (model: Model, address: number, workspace: number) => boolean;

let callers = 0;
/** A client of its own: limits count by client, over all sequences. */
const elsewhere = (): Record<string, string> => {
  callers += 1;
  return { 'x-forwarded-for': `198.18.${callers >> 8}.${callers & 255}` };
};

/** The stranger's password in a workspace: never the person's. */
const STRANGERS = 'sable-turbine-forgets-amber';

const always: When = () => true;
const hasActiveMember: When = (model, address) => model.activeMember(address) !== undefined;
const isActiveMember: When = (model, address, workspace) =>
  model.at(address).person?.members.get(workspace)?.status === 'active';

/** A local account ends: the one who used it is shut out. */
function endLocal(model: Model, world: World, address: number, workspace: number): Local {
  const { locals } = model.at(address);
  const local = locals.get(workspace)!;
  locals.delete(workspace);
  if (local.token) world.dead.push(local.token);
  return local;
}

function becomeMember(model: Model, world: World, address: number, workspace: number, password: string): void {
  const { userId, status } = endLocal(model, world, address, workspace);
  const at = model.at(address);
  at.person ??= { password, members: new Map() };
  at.person.members.set(workspace, { userId, status: status === 'disabled' ? 'disabled' : 'active' });
}

function endMember(model: Model, address: number, workspace: number): void {
  const at = model.at(address);
  at.person?.members.delete(workspace);
  if (at.person?.members.size === 0) at.person = undefined;
}

const add =
  (password: string | undefined): Act =>
  async (model, world, address, workspace) => {
    const { accessToken } = world.owner(workspace);
    const body = { email: world.email(address), name: 'Somebody', roles: ['member'], ...(password && { password }) };
    const post = () => world.identity.post('/api/tenant/users', body, accessToken);
    if (model.userOf(address, workspace)) {
      expect(await outcome(post())).toEqual([409, 'EMAIL_TAKEN']);
      return;
    }
    const { locals } = model.at(address);
    if (password === undefined) {
      const { answer, text } = await world.mailed(address, 'Subject: Invitation to', post);
      expect(answer.status).toBe(201);
      locals.set(workspace, { userId: answer.body.id, status: 'invited', link: tokenIn(text) });
      return;
    }
    const answer = await post();
    expect(answer.status).toBe(201);
    const { body: signedIn } = await world.login(address, password, workspace);
    locals.set(workspace, { userId: answer.body.id, status: 'active', password, token: signedIn.accessToken });
  };

const acceptLink: Act = async (model, world, address, workspace) => {
  const token = model.at(address).locals.get(workspace)!.link!;
  const password = model.newPassword();
  expect(await outcome(world.identity.post('/api/auth/invitations/accept', { token, password }))).toEqual([
    204,
    undefined,
  ]);
  becomeMember(model, world, address, workspace, password);
};

const acceptOffer: Act = async (model, world, address, workspace) => {
  const session = await world.session(model, address, model.activeMember(address)!);
  const { userId } = model.at(address).locals.get(workspace)!;
  const path = `/api/auth/workspaces/offers/${userId}/accept`;
  expect(await outcome(world.identity.post(path, {}, session))).toEqual([204, undefined]);
  becomeMember(model, world, address, workspace, '');
};

const decline: Act = async (model, world, address, workspace) => {
  const session = await world.session(model, address, model.activeMember(address)!);
  const { locals } = model.at(address);
  const local = locals.get(workspace)!;
  const path = `/api/auth/workspaces/offers/${local.userId}/decline`;
  expect(await outcome(world.identity.post(path, {}, session))).toEqual([204, undefined]);
  if (local.status === 'invited') locals.delete(workspace);
  else local.isDeclined = true;
};

/** Anyone who reads the mail chooses a password: their own everywhere, or that of one of the accounts, which becomes theirs. */
const reset: Act = async (model, world, address) => {
  const email = world.email(address);
  const at = model.at(address);
  const { text } = await world.mailed(address, '/password-reset#token=', () =>
    world.identity.request('POST', '/api/auth/password-resets', { body: { email }, headers: elsewhere() }),
  );
  // Accounts of strangers' registrations have links too.
  const links = [...text.matchAll(/password-reset#token=([\w.-]+)/g)].map(([, token = '']) => ({
    token,
    workspace: world.tenants.indexOf(unpackToken(token)!.tenantId),
  }));
  const { token, workspace } = links.find((link) => link.workspace >= 0)!;
  const password = model.newPassword();
  const path = '/api/auth/password-resets/complete';
  expect(
    await outcome(world.identity.request('POST', path, { body: { token, password }, headers: elsewhere() })),
  ).toEqual([204, undefined]);
  if (at.person) at.person.password = password;
  else becomeMember(model, world, address, workspace, password);
};

const setStatus =
  (status: 'active' | 'disabled'): Act =>
  async (model, world, address, workspace) => {
    const user = model.userOf(address, workspace)!;
    expect((await world.identity.changeUser(world.owner(workspace), user.userId, { status })).status).toBe(200);
    user.status = status;
    if ('token' in user && user.token && status === 'disabled') {
      world.dead.push(user.token);
      Object.assign(user, { token: undefined });
    }
  };

const remove =
  (isErasure: boolean): Act =>
  async (model, world, address, workspace) => {
    const { userId } = model.userOf(address, workspace)!;
    const owner = world.owner(workspace);
    const answer = isErasure
      ? world.identity.send('POST', `/api/admin/users/${userId}/erase`, owner, {})
      : world.identity.send('DELETE', `/api/tenant/users/${userId}`, owner);
    expect(await outcome(answer)).toEqual([204, undefined]);
    if (isErasure) world.erased.push(userId);
    if (model.at(address).locals.has(workspace)) endLocal(model, world, address, workspace);
    else endMember(model, address, workspace);
  };

const leave: Act = async (model, world, address, workspace) => {
  const token = await world.session(model, address, workspace);
  const path = `/api/auth/workspaces/${world.tenants[workspace]}`;
  expect(await outcome(world.identity.request('DELETE', path, { token }))).toEqual([204, undefined]);
  world.dead.push(token);
  endMember(model, address, workspace);
};

const erasePerson: Act = async (model, world, address) => {
  const at = model.at(address);
  const token = await world.session(model, address, model.activeMember(address)!);
  const answer = await world.identity.request('DELETE', '/api/auth/me', { token });
  expect(answer.status).toBe(at.owns ? 409 : 204);
  if (at.owns) return;
  world.dead.push(token);
  world.erased.push(...[...at.person!.members.values()].map(({ userId }) => userId));
  at.person = undefined;
};

const switchTo: Act = async (model, world, address, workspace) => {
  const token = await world.session(model, address, model.activeMember(address)!);
  const tenantId = world.tenants[workspace];
  const { status, body } = await world.identity.post('/api/auth/switch', { tenantId }, token);
  expect(status).toBe(isActiveMember(model, address, workspace) ? 200 : 404);
  if (status !== 200) return;
  const { userId } = model.userOf(address, workspace)!;
  expect((await world.identity.me(body.accessToken)).body.id).toBe(userId);
};

/** Neither the stranger's password nor an old one enters what is the person's. */
const guess: Act = async (model, world, address, workspace) => {
  const local = model.at(address).locals.get(workspace);
  const isTheirs = local?.status === 'active' && local.password === STRANGERS;
  expect((await world.login(address, STRANGERS, workspace, elsewhere())).status).toBe(isTheirs ? 200 : 401);
};

const mint: Act = async (model, world, address, workspace) => {
  const { person } = model.at(address);
  const isElsewhere = person !== undefined && !person.members.has(workspace);
  expect(await world.mint(address, workspace)).toBe(isElsewhere ? 'EMBED_IDENTITY_CONFLICT' : undefined);
};

/** A registration never tells who has an account; nobody verifies it here. */
const register: Act = async (_model, world, address) => {
  const body = { email: world.email(address), password: STRANGERS, name: 'Stranger', workspace: { name: 'Another' } };
  const { answer } = await world.mailed(address, '/verify-email#token=', () =>
    world.identity.request('POST', '/api/auth/register', { body, headers: elsewhere() }),
  );
  expect(answer.status).toBe(201);
};

/** Anyone who reads the mail registers a workspace of their own, and verifies it. */
const registerOwn: Act = async (model, world, address) => {
  const [at, email, password] = [model.at(address), world.email(address), model.newPassword()];
  const body = { email, password, name: 'Somebody', workspace: { name: 'Own' } };
  const { answer, text } = await world.mailed(address, '/verify-email#token=', () =>
    world.identity.request('POST', '/api/auth/register', { body, headers: elsewhere() }),
  );
  expect(answer.status).toBe(201);
  const workspace = world.tenants.push(answer.body.tenant.id) - 1;
  const { accessToken } = (await world.login(address, password, workspace)).body;
  const token = /verify-email#token=([\w.-]+)/.exec(text)?.[1];
  expect(await outcome(world.identity.post('/api/auth/verify-email', { token }, accessToken))).toEqual([
    204,
    undefined,
  ]);
  at.person ??= { password, members: new Map() };
  at.person.members.set(workspace, { userId: answer.body.user.id, status: 'active' });
  at.owns = true;
};

const localIs =
  (condition: (local: Local) => boolean): When =>
  (model, address, workspace) => {
    const local = model.at(address).locals.get(workspace);
    return local !== undefined && condition(local);
  };
const isThere: When = (model, address, workspace) => model.userOf(address, workspace) !== undefined;
const both =
  (...conditions: readonly When[]): When =>
  (model, address, workspace) =>
    conditions.every((condition) => condition(model, address, workspace));

/** What people do, when it can be done, by name. */
const ACTS: Readonly<Record<string, readonly [When, Act]>> = {
  add: [always, add(STRANGERS)],
  invite: [always, add(undefined)],
  register: [always, register],
  registerOwn: [(model, address) => !model.at(address).owns, registerOwn],
  acceptLink: [localIs(({ status, link }) => status === 'invited' && link !== undefined), acceptLink],
  acceptOffer: [
    both(
      hasActiveMember,
      localIs(({ isDeclined }) => !isDeclined),
    ),
    acceptOffer,
  ],
  decline: [
    both(
      hasActiveMember,
      localIs(({ isDeclined }) => !isDeclined),
    ),
    decline,
  ],
  reset: [
    (model, address) =>
      model.at(address).person
        ? hasActiveMember(model, address, 0)
        : [...model.at(address).locals.values()].some(({ status }) => status === 'active'),
    reset,
  ],
  disable: [both(isThere, (model, a, w) => model.userOf(a, w)?.status === 'active'), setStatus('disabled')],
  enable: [both(isThere, (model, a, w) => model.userOf(a, w)?.status === 'disabled'), setStatus('active')],
  remove: [isThere, remove(false)],
  eraseMembership: [isThere, remove(true)],
  leave: [isActiveMember, leave],
  erasePerson: [hasActiveMember, erasePerson],
  switchTo: [hasActiveMember, switchTo],
  guess: [always, guess],
  mint: [always, mint],
};

export const ACT_NAMES = Object.keys(ACTS);

/** One act on an address in a workspace; everything is looked at after it. */
export function command(name: string, address: number, workspace: number): Command {
  const [when, act] = ACTS[name]!;
  return {
    check: (model) => when(model, address, workspace),
    run: async (model, world) => {
      await act(model, world, address, workspace);
      await world.check(model);
    },
    toString: () => `${name}(${address}, ${workspace})`,
  };
}
