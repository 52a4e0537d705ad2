import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { AfterResponse } from '../src/mail/after-response.service.js';
import { HashPool } from '../src/passwords/hash-pool.js';
import { FIND_LOCAL_BY_KEY, FIND_MEMBERSHIP, FIND_SIGN_IN_HOLDER } from '../src/people/person.repository.js';
import { READ_SIGN_IN_USER } from '../src/people/user.repository.js';
import { enrol } from './authenticators.js';
import { type Account, fromElsewhere, NEW_PASSWORD, newEmail, outcome, PASSWORD, withMail } from './identity.js';
import { tokenIn } from './mail-server.js';
import { register as addPasskey, newAuthenticator, signIn as signInByPasskey } from './passkeys.js';

const { identity, mailServer } = withMail();

const STRANGERS = 'stranger-lantern-orbits-quietly';

const addUser = (by: Account, email: string, more: object = {}) =>
  identity.post('/api/tenant/users', { email, name: 'Buy now', roles: ['member'], ...more }, by.accessToken);
const register = (email: string, password = PASSWORD, headers?: Record<string, string>) =>
  identity.request('POST', '/api/auth/register', {
    body: { email, password, name: 'Owner', workspace: { name: 'Of the owner' } },
    headers,
  });
const signIn = async (email: string, password: string, workspace?: string) => {
  const body = { email, password, workspace };
  const { status, body: answer } = await identity.request('POST', '/api/auth/login', {
    body,
    headers: fromElsewhere(),
  });
  return status === 200 ? (decodeJwt(answer.accessToken) as { tid: string }).tid : answer.code;
};
const REFUSED = 'INVALID_CREDENTIALS';
const askForPassword = (email: string) =>
  identity.request('POST', '/api/auth/password-resets', { body: { email }, headers: fromElsewhere() });
const setPassword = (token: string, password = NEW_PASSWORD) =>
  identity.request('POST', '/api/auth/password-resets/complete', {
    body: { token, password },
    headers: fromElsewhere(),
  });
const settled = () => identity.get(AfterResponse).beforeApplicationShutdown();
/** The token of the link for a new password, whatever other mails there are. */
const linkFor = async (email: string) => {
  const find = () => mailServer.mails.find(({ to, text }) => to === email && text.includes('/password-reset#token='));
  await waitUntil(() => find() !== undefined, { describe: 'the link for a new password' });
  return tokenIn(find()?.text ?? '');
};
const linksIn = (text: string) => [...text.matchAll(/#token=([\w.-]+)/g)].map(([, token]) => token ?? '');

/** Registers from afar and verifies with the link of the mail. */
async function registered(email: string, password = PASSWORD): Promise<Account> {
  const { answer, text } = await mailServer.sentBy(email, () => register(email, password, fromElsewhere()));
  expect(answer.status).toBe(201);
  const { body } = await identity.request('POST', '/api/auth/login', {
    body: { email, password, workspace: answer.body.tenant.id },
  });
  const verified = identity.post('/api/auth/verify-email', { token: tokenIn(text) }, body.accessToken);
  expect(await outcome(verified)).toEqual([204, undefined]);
  return { ...body, email, userId: answer.body.user.id, tenantId: answer.body.tenant.id };
}

/** How a workspace gets hold of an address whose mail it cannot read. */
const CLAIMS: [string, (stranger: Account, email: string) => Promise<void>][] = [
  [
    'adds it with a password',
    async (stranger, email) => {
      expect((await addUser(stranger, email, { password: STRANGERS })).status).toBe(201);
    },
  ],
  [
    'adds it and disables it',
    async (stranger, email) => {
      const { body } = await addUser(stranger, email, { password: STRANGERS });
      expect((await identity.changeUser(stranger, body.id, { status: 'disabled' })).status).toBe(200);
    },
  ],
  [
    'invites it',
    async (stranger, email) => {
      const { answer } = await mailServer.sentBy(email, () => addUser(stranger, email));
      expect(answer.status).toBe(201);
    },
  ],
  [
    'registers with it and does not verify',
    async (_stranger, email) => {
      const { answer } = await mailServer.sentBy(email, () => register(email, STRANGERS, fromElsewhere()));
      expect(answer.status).toBe(201);
    },
  ],
];

describe.each(CLAIMS)('anyone who can read the mail of an address, after a stranger %s', (_, claim) => {
  const claimed = async () => {
    const [stranger, email] = [await identity.account(), newEmail()];
    await claim(stranger, email);
    return { stranger, email };
  };

  it('registers, verifies and signs in to their own workspace', async () => {
    const { email } = await claimed();
    const owner = await registered(email);
    expect(await signIn(email, PASSWORD)).toBe(owner.tenantId);
    expect(await signIn(email, STRANGERS)).not.toBe(owner.tenantId);
  });

  it('registers from the machine of a developer, and has proven the address there', async () => {
    const { email } = await claimed();
    const { status, body } = await register(email);
    expect([status, await signIn(email, PASSWORD)]).toEqual([201, body.tenant.id]);
    expect(await identity.queryAll('SELECT tenant_id AS id FROM sign_in_email WHERE email = $1', [email])).toEqual([
      { id: body.tenant.id },
    ]);
  });

  it('is invited elsewhere', async () => {
    const { email } = await claimed();
    const elsewhere = await identity.account();
    const { answer, text } = await mailServer.sentBy(email, () => addUser(elsewhere, email));
    expect([answer.status, answer.body.status]).toEqual([201, 'invited']);
    expect(text).toContain('/invitation#token=');
  });

  it('moves their account to it', async () => {
    const { email } = await claimed();
    const owner = await identity.account();
    const change = { email, password: PASSWORD };
    const { text } = await mailServer.sentBy(email, () =>
      identity.post('/api/auth/email-change', change, owner.accessToken),
    );
    const confirmed = identity.request('POST', '/api/auth/email-change/confirm', { body: { token: tokenIn(text) } });
    expect(await outcome(confirmed)).toEqual([204, undefined]);
    expect(await signIn(email, PASSWORD)).toBe(owner.tenantId);
  });

  it('sets the password of their own account by mail, and of no other', async () => {
    const { email } = await claimed();
    const owner = await registered(email);
    const before = await signIn(email, STRANGERS);
    const { text } = await mailServer.sentBy(email, () => askForPassword(email));
    expect(linksIn(text)).toHaveLength(1);
    expect((await setPassword(tokenIn(text))).status).toBe(204);
    expect(await signIn(email, NEW_PASSWORD)).toBe(owner.tenantId);
    expect(await signIn(email, PASSWORD)).toBe(REFUSED);
    // What the stranger set stays inside their workspace.
    expect(await signIn(email, STRANGERS)).toBe(before);
  });
});

const LOOK_UPS = [FIND_SIGN_IN_HOLDER, FIND_MEMBERSHIP, FIND_LOCAL_BY_KEY, READ_SIGN_IN_USER];

/** Addresses that answers and work must not tell apart. */
const ADDRESSES: [string, () => Promise<string>][] = [
  ['nobody has', async () => newEmail()],
  ['a person has', async () => (await identity.account()).email],
  [
    'a workspace has added',
    async () => {
      const [stranger, email] = [await identity.account(), newEmail()];
      await addUser(stranger, email, { password: STRANGERS });
      return email;
    },
  ],
];

describe.each(ADDRESSES)('an address that %s', (_, address) => {
  /** Passwords that are hashed meanwhile, and users and addresses that are looked up. */
  const work = async (act: () => Promise<unknown>) => {
    const database = identity.get(Database);
    const hashes = jest.spyOn(identity.get(HashPool), 'run');
    const [ofUsers, ofAddresses] = [jest.spyOn(database, 'read'), jest.spyOn(database, 'crossTenantStatement')];
    try {
      await act();
      const statements = [...ofUsers.mock.calls.map(([, sql]) => sql), ...ofAddresses.mock.calls.map(([sql]) => sql)];
      return [hashes.mock.calls.length, statements.filter((sql) => LOOK_UPS.includes(sql)).length];
    } finally {
      for (const spy of [hashes, ofUsers, ofAddresses]) spy.mockRestore();
    }
  };

  it('is answered and costs like any other', async () => {
    const email = await address();
    const asked = await identity.account();
    const answers = {
      register: async () => (await register(email, PASSWORD, fromElsewhere())).status,
      registerNear: async () => (await register(email)).status,
      reset: async () => (await askForPassword(email)).status,
      invite: async () => (await addUser(asked, email)).status,
      change: async () =>
        (await identity.post('/api/auth/email-change', { email, password: PASSWORD }, asked.accessToken)).status,
      wrong: async () => signIn(email, 'not-the-password'),
      wrongWorkspace: async () => signIn(email, 'not-the-password', asked.tenantId),
    };
    const seen = [];
    for (const [name, act] of Object.entries(answers)) {
      let answer: unknown;
      const done = await work(async () => {
        answer = await act();
      });
      seen.push([name, answer, ...done]);
    }
    await settled();
    expect(seen).toEqual([
      ['register', 201, 2, 0],
      ['registerNear', 201, 2, 0],
      ['reset', 202, 0, 0],
      ['invite', 201, 0, 0],
      ['change', 202, 1, 0],
      ['wrong', REFUSED, 2, 4],
      ['wrongWorkspace', REFUSED, 2, 4],
    ]);
  });
});

describe('a local account', () => {
  it('signs in to its own workspace alone, with its own password, which it changes', async () => {
    const [stranger, owner] = [await identity.account(), await identity.account()];
    await addUser(stranger, owner.email, { password: STRANGERS });
    expect(await signIn(owner.email, STRANGERS)).toBe(stranger.tenantId);
    expect(await signIn(owner.email, STRANGERS, stranger.tenantId)).toBe(stranger.tenantId);
    expect(await signIn(owner.email, STRANGERS, owner.tenantId)).toBe(REFUSED);
    expect(await signIn(owner.email, PASSWORD, stranger.tenantId)).toBe(REFUSED);
    const { body } = await identity.login(owner.email, STRANGERS);
    const change = { currentPassword: STRANGERS, newPassword: NEW_PASSWORD };
    expect((await identity.post('/api/auth/password', change, body.accessToken)).status).toBe(200);
    const now = [];
    for (const password of [STRANGERS, NEW_PASSWORD, PASSWORD]) now.push(await signIn(owner.email, password));
    expect(now).toEqual([REFUSED, stranger.tenantId, owner.tenantId]);
  });

  it('keeps nothing of the one who used it before, once a link in the mail has proven its address', async () => {
    const [stranger, email] = [await identity.account(), newEmail()];
    await addUser(stranger, email, { password: STRANGERS });
    const squatter = await identity.signedIn(email, STRANGERS);
    const passkey = newAuthenticator();
    await addPasskey(identity, squatter, passkey);
    await enrol(identity, squatter);
    await askForPassword(email);
    expect((await setPassword(await linkFor(email))).status).toBe(204);
    await identity.refuses(squatter.accessToken);
    const statuses = [
      (await identity.refresh(squatter.refreshToken)).status,
      (await signInByPasskey(identity, passkey)).status,
      (await identity.login(email, STRANGERS)).status,
    ];
    expect(statuses).toEqual([401, 401, 401]);
    expect((await identity.signedIn(email, NEW_PASSWORD)).userId).toBe(squatter.userId);
  });

  it('is named with its workspace in the one mail that is sent to an address of several, without a text of theirs', async () => {
    const email = newEmail();
    const names = ['First. Visit evil.example', 'Second'];
    const workspaces = [];
    for (const name of names) {
      const stranger = await identity.account({ name });
      workspaces.push(stranger.tenantId);
      await addUser(stranger, email, { password: `${STRANGERS}-${name.slice(0, 3)}` });
    }
    const { text } = await mailServer.sentBy(email, () => askForPassword(email));
    const [second = '', first = ''] = linksIn(text);
    expect(linksIn(text)).toHaveLength(2);
    expect(text).not.toMatch(/evil\.example|Buy now/);
    expect(text).toContain('Second');
    expect((await setPassword(second)).status).toBe(204);
    expect(await signIn(email, NEW_PASSWORD)).toBe(workspaces[1]);
    // The other one is an offer, and its link has ended.
    expect(await signIn(email, `${STRANGERS}-Fir`)).toBe(workspaces[0]);
    expect(await outcome(setPassword(first))).toEqual([410, 'INVALID_PASSWORD_RESET']);
  });

  it('of an unverified registration is verified with its workspace by a new password too', async () => {
    const email = newEmail();
    const { answer } = await mailServer.sentBy(email, () => register(email, STRANGERS, fromElsewhere()));
    await askForPassword(email);
    expect((await setPassword(await linkFor(email))).status).toBe(204);
    const { accessToken } = (await identity.login(email, NEW_PASSWORD)).body;
    expect((await identity.me(accessToken)).body.tenant).toMatchObject({ id: answer.body.tenant.id, verified: true });
  });

  it('cannot be moved to another address', async () => {
    const member = await identity.member(await identity.account());
    const change = { email: newEmail(), password: PASSWORD };
    const refused = identity.post('/api/auth/email-change', change, member.accessToken);
    expect(await outcome(refused)).toEqual([403, 'EMAIL_NOT_VERIFIED']);
  });
});

describe('a person in two workspaces', () => {
  /** The second workspace is the one that was registered last. */
  const inTwo = async () => {
    const email = newEmail();
    const [first, second] = [await registered(email), await registered(email, STRANGERS)];
    return { email, first, second };
  };

  it('has the password that they had, and enters the one that they name, or else the one that they used last', async () => {
    const { email, first, second } = await inTwo();
    const entered = [];
    for (const workspace of [undefined, second.tenantId, undefined, first.tenantId, undefined]) {
      entered.push(await signIn(email, PASSWORD, workspace));
    }
    const [one, two] = [first.tenantId, second.tenantId];
    expect(entered).toEqual([one, two, two, one, one]);
    expect(await signIn(email, STRANGERS)).toBe(REFUSED);
  });

  it('has the password of a workspace that they register, where they had none', async () => {
    const email = newEmail();
    const first = await registered(email);
    await identity.query(first.tenantId, 'UPDATE app_user SET password_hash = NULL');
    const second = await registered(email, STRANGERS);
    const entered = [];
    for (const workspace of [undefined, first.tenantId]) entered.push(await signIn(email, STRANGERS, workspace));
    expect(entered).toEqual([second.tenantId, first.tenantId]);
  });

  it('enters the other one while the one that they used last has disabled or operators have suspended it', async () => {
    const { email, first, second } = await inTwo();
    const states = ['disabled', 'active'];
    const entered = [];
    for (const status of states) {
      await identity.query(first.tenantId, `UPDATE app_user SET status = '${status}'`);
      entered.push(await signIn(email, PASSWORD));
      entered.push(await signIn(email, PASSWORD, first.tenantId));
    }
    expect(entered).toEqual([second.tenantId, REFUSED, second.tenantId, first.tenantId]);
    const suspend = `INSERT INTO tenant_suspension (tenant_id, name, reason, suspended_at) VALUES ($1, 'X', 'Y', now())`;
    await identity.query(first.tenantId, suspend, [first.tenantId]);
    expect(await signIn(email, PASSWORD)).toBe(second.tenantId);
  });

  it.each([
    [
      'changes',
      async ({ accessToken }: Account) => {
        const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
        expect((await identity.post('/api/auth/password', change, accessToken)).status).toBe(200);
      },
    ],
    [
      'sets by mail',
      async ({ email }: Account) => {
        const { text } = await mailServer.sentBy(email, () => askForPassword(email));
        expect((await setPassword(tokenIn(text))).status).toBe(204);
      },
    ],
  ])('%s the password of both at once, which ends their other sessions in both', async (_, act) => {
    const { email, first, second } = await inTwo();
    await act(first);
    await identity.refuses(second.accessToken);
    expect((await identity.refresh(second.refreshToken)).status).toBe(401);
    const entered = [];
    for (const { tenantId } of [first, second]) entered.push(await signIn(email, NEW_PASSWORD, tenantId));
    expect(entered).toEqual([first.tenantId, second.tenantId]);
    expect(await signIn(email, PASSWORD, second.tenantId)).toBe(REFUSED);
    const hashes = [];
    for (const { tenantId } of [first, second]) {
      hashes.push(...(await identity.query<{ hash: string }>(tenantId, 'SELECT password_hash AS hash FROM app_user')));
    }
    expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(1);
  });

  it('changes the address of both at once, and undoes it in both', async () => {
    const { email, first, second } = await inTwo();
    const wanted = newEmail();
    const change = { email: wanted, password: PASSWORD };
    const asked = await mailServer.sentBy(wanted, () =>
      identity.post('/api/auth/email-change', change, first.accessToken),
    );
    const { text } = await mailServer.sentBy(email, () =>
      identity.request('POST', '/api/auth/email-change/confirm', { body: { token: tokenIn(asked.text) } }),
    );
    const addresses = async () => {
      const found = [];
      for (const { tenantId } of [first, second]) {
        found.push(...(await identity.query<{ email: string }>(tenantId, 'SELECT email FROM app_user')));
      }
      return found.map((user) => user.email);
    };
    expect(await addresses()).toEqual([wanted, wanted]);
    expect(await signIn(wanted, PASSWORD, second.tenantId)).toBe(second.tenantId);
    // A workspace of theirs cannot give the former address to someone else meanwhile.
    expect(await outcome(addUser(second, email))).toEqual([409, 'EMAIL_TAKEN']);
    const thief = await identity.signedIn(wanted);
    const undone = await mailServer.sentBy(email, () =>
      identity.request('POST', '/api/auth/email-change/undo', { body: { token: tokenIn(text) } }),
    );
    expect(undone.answer.status).toBe(204);
    expect(await addresses()).toEqual([email, email]);
    for (const { accessToken } of [thief, second]) await identity.refuses(accessToken);
    expect((await setPassword(tokenIn(undone.text))).status).toBe(204);
    for (const { tenantId } of [first, second]) expect(await signIn(email, NEW_PASSWORD, tenantId)).toBe(tenantId);
  });
});
