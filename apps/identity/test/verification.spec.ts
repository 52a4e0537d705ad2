import { waitUntil } from '@crm/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { HashPool } from '../src/passwords/hash-pool.js';
import { UserRepository } from '../src/people/user.repository.js';
import { LapsedClaimSweeper } from '../src/registration/lapsed-claim.sweeper.js';
import { MAILS_PER_HOUR } from '../src/registration/verification.service.js';
import { entryOf } from './audit.js';
import {
  type Account,
  fromElsewhere,
  NEW_PASSWORD,
  newEmail,
  outcome,
  PASSWORD,
  TestIdentity,
  withMail,
} from './identity.js';
import { tokenIn } from './mail-server.js';
import { register as addPasskey, newAuthenticator, signIn as signInByPasskey } from './passkeys.js';
import { standing } from './persons.js';

const { identity, mailServer } = withMail({ profile: 'production' });
const passwordOf = (name: string) => `${name}-${PASSWORD}`;

/** Registers from an address of its own, so that no limit of addresses plays a part. */
const register = (email: string, name = 'somebody', headers = fromElsewhere()) =>
  identity.request('POST', '/api/auth/register', {
    body: { email, password: passwordOf(name), name, workspace: { name: `Buy now at evil.example, says ${name}` } },
    headers,
  });

interface Claimant extends Account {
  /** The token of the mail, when it carries one. */
  verification: string;
}

/** Registers, signs in and reads the mail. */
async function claimant(email: string, name = 'somebody'): Promise<Claimant> {
  const seen = mailServer.mails.length;
  const registered = await register(email, name);
  expect(registered.status).toBe(201);
  const { status, body } = await identity.login(email, passwordOf(name));
  expect(status).toBe(200);
  const { text } = await mailServer.mailTo(email, seen);
  const { user, tenant } = registered.body;
  return { ...body, email, userId: user.id, tenantId: tenant.id, verification: tokenIn(text) };
}

const verify = (who: Pick<Account, 'accessToken'>, token: string) =>
  identity.post('/api/auth/verify-email', { token }, who.accessToken);
const resend = (who: Account) => identity.request('POST', '/api/auth/verify-email/resend', { token: who.accessToken });
const isVerified = async (who: Account) => {
  const { body } = await identity.me(who.accessToken);
  return (body.tenant as { verified?: boolean }).verified;
};
const age = (userId: string, days: number) => {
  const aged = 'UPDATE email_claim SET created_at = created_at - make_interval(days => $2) WHERE user_id = $1';
  return identity.queryAll(aged, [userId, days]);
};
const addUser = (who: Account, body: object = {}) =>
  identity.post('/api/tenant/users', { email: newEmail(), name: 'X', roles: ['member'], ...body }, who.accessToken);
const INVALID = [410, 'INVALID_VERIFICATION'];

describe('a registration in production', () => {
  it('is not verified until the user who registered presents what the mail carries, and lapses no more then', async () => {
    const owner = await claimant(newEmail());
    const { text } = await mailServer.mailTo(owner.email);
    // Nothing in it is of the one who registered.
    for (const word of ['evil', 'Buy', 'somebody']) expect(text).not.toContain(word);
    expect(await isVerified(owner)).toBe(false);
    expect((await verify(owner, owner.verification)).status).toBe(204);
    await age(owner.userId, 8);
    await identity.get(LapsedClaimSweeper).sweep();
    expect(await isVerified(owner)).toBe(true);
    expect((await entryOf(identity, owner, 'workspace.email_verified')).actor.id).toBe(owner.userId);
    expect((await identity.login(owner.email, passwordOf('somebody'))).status).toBe(200);
    expect((await addUser(owner)).status).toBe(201);
  });

  it('can before neither invite nor create users, nor move its claim to another address', async () => {
    const owner = await claimant(newEmail());
    const change = { email: newEmail(), password: passwordOf('somebody') };
    for (const refused of [
      addUser(owner),
      addUser(owner, { password: PASSWORD }),
      identity.post('/api/auth/email-change', change, owner.accessToken),
    ]) {
      expect(await outcome(refused)).toEqual([403, 'EMAIL_NOT_VERIFIED']);
    }
  });

  it('has its link stored as a hash only, which works once and for 24 hours', async () => {
    const owner = await claimant(newEmail());
    const rows = await identity.queryAll('SELECT * FROM email_claim');
    expect(JSON.stringify(rows)).not.toContain(owner.verification);
    expect(await outcome(verify(owner, 'x'.repeat(43)))).toEqual(INVALID);
    const aged = `UPDATE email_claim SET secret_expires_at = secret_expires_at - interval '24 hours' WHERE user_id = $1`;
    await identity.queryAll(aged, [owner.userId]);
    expect(await outcome(verify(owner, owner.verification))).toEqual(INVALID);
    const { answer, text } = await mailServer.sentBy(owner.email, () => resend(owner));
    expect(answer.status).toBe(204);
    const again = tokenIn(text);
    expect((await verify(owner, again)).status).toBe(204);
    expect(await outcome(verify(owner, again))).toEqual([409, 'CONFLICT']);
    expect(await outcome(resend(owner))).toEqual([409, 'CONFLICT']);
  });

  it('is asked to verify five times more per hour, each time by a new link', async () => {
    const owner = await claimant(newEmail());
    for (let count = 0; count < 5; count += 1) expect((await resend(owner)).status).toBe(204);
    const refused = await resend(owner);
    expect(await outcome(refused)).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await outcome(verify(owner, owner.verification))).toEqual(INVALID);
  });

  it('cannot fill the mailbox of an address, from one caller or from many', async () => {
    const email = newEmail();
    const from = async (address: string) => (await register(email, 'X', { 'x-forwarded-for': address })).status;
    for (let count = 0; count < 5; count += 1) expect(await from('203.0.113.1')).toBe(201);
    expect(await from('203.0.113.1')).toBe(429);
    for (let count = 0; count < 20; count += 1) expect(await from(`203.0.113.${count + 10}`)).toBe(201);
    // What a registration queues is stored when it is answered, and gone when it is sent.
    const queued = async () => identity.queryAll('SELECT id FROM mail WHERE recipient = $1', [email]);
    await waitUntil(async () => (await queued()).length === 0, { describe: 'every queued mail is sent' });
    expect(mailsTo(email)).toHaveLength(MAILS_PER_HOUR);
  });

  it('signs in with a changed password, and with the former one no more', async () => {
    const owner = await claimant(newEmail());
    const change = { currentPassword: passwordOf('somebody'), newPassword: NEW_PASSWORD };
    expect((await identity.post('/api/auth/password', change, owner.accessToken)).status).toBe(200);
    expect((await identity.login(owner.email, NEW_PASSWORD)).status).toBe(200);
    expect((await identity.login(owner.email, passwordOf('somebody'))).status).toBe(401);
  });
});

/** Registrations of strangers, each from an address of its own. */
const strangersRegister = async (email: string, count: number) => {
  for (let stranger = 0; stranger < count; stranger += 1) {
    expect((await register(email, `stranger-${stranger}`)).status).toBe(201);
  }
};
const mailsTo = (email: string) => mailServer.mails.filter(({ to }) => to === email);

describe('others who register with the same address', () => {
  it('keep neither the first nor the second registrant from signing in, however many they are', async () => {
    const email = newEmail();
    await claimant(email, 'first');
    await claimant(email, 'second');
    await strangersRegister(email, 6);
    const wrong = await identity.login(email, passwordOf('nobody'), fromElsewhere());
    expect(wrong.body.code).toBe('INVALID_CREDENTIALS');
    for (const name of ['first', 'second', 'stranger-0', 'stranger-5']) {
      expect([name, (await identity.login(email, passwordOf(name))).status]).toEqual([name, 200]);
    }
  });

  it('do not use up the mails of the one who registered first: another link is sent when they ask for it', async () => {
    const email = newEmail();
    const owner = await claimant(email, 'owner');
    await strangersRegister(email, MAILS_PER_HOUR);
    const { answer, text } = await mailServer.sentBy(email, () => resend(owner));
    expect(answer.status).toBe(204);
    expect((await verify(owner, tokenIn(text))).status).toBe(204);
  });

  it('do not use up the mails of anyone who registers last: a link that they have caused verifies the owner', async () => {
    const email = newEmail();
    await strangersRegister(email, MAILS_PER_HOUR);
    expect((await register(email, 'owner')).status).toBe(201);
    const { accessToken } = (await identity.login(email, passwordOf('owner'))).body;
    await waitUntil(() => mailsTo(email).length === MAILS_PER_HOUR, { describe: 'the mails of the strangers' });
    expect((await verify({ accessToken }, tokenIn(mailsTo(email).at(-1)?.text ?? ''))).status).toBe(204);
    expect((await identity.login(email, passwordOf('owner'))).status).toBe(200);
    // What a stranger has registered stays theirs, and unverified.
    const stranger = await identity.signedIn(email, passwordOf('stranger-3'));
    expect(await isVerified(stranger)).toBe(false);
  });
});

/** Passwords that are hashed or checked meanwhile. */
async function hashesOf(work: () => Promise<unknown>): Promise<number> {
  const run = jest.spyOn(identity.get(HashPool), 'run');
  try {
    await work();
    return run.mock.calls.length;
  } finally {
    run.mockRestore();
  }
}

describe('the work of a sign-in does not tell how many have registered with the address', () => {
  const held = async () => {
    const owner = await claimant(newEmail(), 'owner');
    await verify(owner, owner.verification);
    return owner.email;
  };

  it.each([
    ['an unknown address', async () => newEmail()],
    ['an address that has an account', held],
  ])('%s: with a wrong password', async (_, open) => {
    const hashes = [];
    for (const claims of [0, 1, 3]) {
      const email = await open();
      await strangersRegister(email, claims);
      hashes.push(await hashesOf(() => identity.login(email, 'not-the-password')));
    }
    expect(hashes).toEqual([2, 2, 2]);
  });

  it.each([
    ['nobody else', async () => newEmail(), 0],
    ['three others', async () => newEmail(), 3],
    ['the owner, who has verified it', held, 0],
  ])('with the password of one who registered beside %s', async (_, open, others) => {
    const email = await open();
    await register(email, 'asker');
    await strangersRegister(email, others);
    expect(await hashesOf(() => identity.login(email, passwordOf('asker')))).toBe(2);
  });
});

describe('the owner of an address that someone else registered with', () => {
  it('registers, signs in with their own password and verifies; the link of the other ends', async () => {
    const email = newEmail();
    const squatter = await claimant(email, 'squatter');
    const owner = await claimant(email, 'owner');
    expect(owner.tenantId).not.toBe(squatter.tenantId);
    expect((await verify(owner, owner.verification)).status).toBe(204);
    expect(await outcome(verify(squatter, squatter.verification))).toEqual(INVALID);
    for (const { tenantId } of [owner, squatter]) {
      const name = tenantId === owner.tenantId ? 'owner' : 'squatter';
      expect((await identity.signedIn(email, passwordOf(name))).tenantId).toBe(tenantId);
    }
    expect(await isVerified(squatter)).toBe(false);
  });

  it('is offered what the other has registered, whose new links verify nothing', async () => {
    const email = newEmail();
    const squatter = await claimant(email, 'squatter');
    const owner = await claimant(email, 'owner');
    expect((await verify(owner, owner.verification)).status).toBe(204);
    const { answer, text } = await mailServer.sentBy(email, () => resend(squatter));
    expect(answer.status).toBe(204);
    expect(text).toContain('/invitation#token=');
    expect(text).not.toContain('/verify-email#token=');
    const links = 'SELECT secret_hash AS link FROM email_claim WHERE user_id = $1';
    expect(await identity.queryAll(links, [squatter.userId])).toEqual([{ link: null }]);
  });

  it('gives nothing away by opening the link of the other, which proves only that they read the mail', async () => {
    const email = newEmail();
    const squatter = await claimant(email, 'squatter');
    expect((await identity.post('/api/auth/verify-email', { token: squatter.verification })).status).toBe(401);
    const owner = await claimant(email, 'owner');
    const elsewhere = await claimant(newEmail(), 'elsewhere');
    expect(await outcome(verify(elsewhere, squatter.verification))).toEqual(INVALID);
    expect((await verify(owner, squatter.verification)).status).toBe(204);
    expect([await isVerified(owner), await isVerified(squatter)]).toEqual([true, false]);
    expect(await outcome(verify(squatter, squatter.verification))).toEqual(INVALID);
  });

  it('wins exactly once when two verify at the same time', async () => {
    const email = newEmail();
    const claimants = [await claimant(email, 'one'), await claimant(email, 'two'), await claimant(email, 'three')];
    const statuses = await Promise.all(claimants.map(async (one) => (await verify(one, one.verification)).status));
    expect(statuses.sort()).toEqual([204, 410, 410]);
  });
});

describe('an address that has an account', () => {
  it('can be registered again without telling that it has one; its owner learns by mail, and keeps the account', async () => {
    const email = newEmail();
    const owner = await claimant(email, 'owner');
    await verify(owner, owner.verification);
    const free = await register(newEmail(), 'stranger');
    const taken = await register(email, 'stranger');
    expect([taken.status, Object.keys(taken.body).sort()]).toEqual([free.status, Object.keys(free.body).sort()]);
    const stranger = await claimant(email, 'stranger-two');
    expect(mailsTo(email).at(-1)?.text).toContain('already has an account');
    expect((await resend(stranger)).status).toBe(204);
    expect(await outcome(verify(stranger, 'x'.repeat(43)))).toEqual(INVALID);
    expect((await identity.signedIn(email, passwordOf('owner'))).userId).toBe(owner.userId);
  });

  it('is in the other workspace too, once the one who registered it there opens the link in the mail', async () => {
    const email = newEmail();
    const owner = await claimant(email, 'owner');
    await verify(owner, owner.verification);
    const again = await claimant(email, 'again');
    // The link alone says nothing of who opens it.
    expect(await outcome(verify(owner, again.verification))).toEqual([409, 'CONFLICT']);
    expect((await verify(again, again.verification)).status).toBe(204);
    expect([await isVerified(owner), await isVerified(again)]).toEqual([true, true]);
    expect((await identity.login(email, passwordOf('again'))).status).toBe(401);
    for (const { tenantId } of [owner, again]) {
      const body = { email, password: passwordOf('owner'), workspace: tenantId };
      expect((await identity.post('/api/auth/login', body)).status).toBe(200);
    }
  });
});

describe('a claim that nobody verified', () => {
  it('lapses after seven days: the workspace is closed, its tokens end and the address is forgotten', async () => {
    const email = newEmail();
    const owner = await claimant(email);
    const authenticator = newAuthenticator();
    await addPasskey(identity, owner, authenticator);
    await age(owner.userId, 6);
    await identity.get(LapsedClaimSweeper).sweep();
    expect((await identity.login(email, passwordOf('somebody'))).status).toBe(200);
    await age(owner.userId, 1);
    expect(await outcome(verify(owner, owner.verification))).toEqual([409, 'CONFLICT']);
    await identity.get(LapsedClaimSweeper).sweep();
    expect((await identity.login(email, passwordOf('somebody'))).body.code).toBe('INVALID_CREDENTIALS');
    expect((await identity.refresh(owner.refreshToken)).status).toBe(401);
    const isRevoked = async () => (await identity.me(owner.accessToken)).body.code === 'TOKEN_REVOKED';
    await waitUntil(isRevoked, { timeoutMs: 1000, describe: 'the tokens of the closed workspace are refused' });
    expect((await signInByPasskey(identity, authenticator)).status).toBe(401);
    expect(await identity.query(owner.tenantId, 'SELECT id FROM passkey')).toEqual([]);
    const closed = "SELECT actor_kind AS kind FROM audit_entry WHERE action = 'workspace.closed'";
    expect(await identity.query(owner.tenantId, closed)).toEqual([{ kind: 'system' }]);
    const users = await identity.query(owner.tenantId, 'SELECT * FROM app_user');
    expect(users).toMatchObject([{ status: 'disabled' }]);
    const claims = await identity.queryAll('SELECT email FROM email_claim');
    expect(JSON.stringify([users, claims])).not.toContain(email);
  });
});

describe('a new password by mail, while a claim lapses', () => {
  it('comes too late: a workspace that is closed is not verified', async () => {
    const owner = await claimant(newEmail());
    const body = { email: owner.email };
    const { text } = await mailServer.sentBy(owner.email, () => identity.post('/api/auth/password-resets', body));
    await age(owner.userId, 8);
    let status = 0;
    const lock = jest.spyOn(identity.get(UserRepository), 'lock').mockImplementationOnce(async () => {
      const completion = { token: tokenIn(text), password: NEW_PASSWORD };
      ({ status } = await identity.post('/api/auth/password-resets/complete', completion));
      return null;
    });
    await identity.get(LapsedClaimSweeper).sweep();
    lock.mockRestore();
    expect(status).toBe(409);
    const state = 'SELECT verified_at AS verified, closed_at IS NOT NULL AS closed FROM tenant';
    expect(await identity.query(owner.tenantId, state)).toEqual([{ verified: null, closed: true }]);
    expect(await standing(identity, owner.userId)).toBe('nobody');
  });
});

describe('outside production', () => {
  it('a registration from loopback is verified, ends the links of others, and any other is not', async () => {
    const development = await TestIdentity.start({ smtpUrl: mailServer.url });
    try {
      const email = newEmail();
      const body = { email, password: passwordOf('far'), name: 'Far', workspace: { name: 'Far' } };
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      const far = await development.request('POST', '/api/auth/register', { body, headers });
      expect(far.body.tenant).toMatchObject({ verified: false });
      const near = await development.post('/api/auth/register', { ...body, password: PASSWORD });
      expect(near.body.tenant).toMatchObject({ verified: true });
      const links = 'SELECT secret_hash AS link FROM email_claim WHERE email = $1';
      expect(await development.queryAll(links, [email])).toEqual([{ link: null }]);
      expect((await development.signedIn(email)).tenantId).toBe(near.body.tenant.id);
      const verified = 'SELECT verified_at IS NOT NULL AS verified FROM tenant';
      expect(await development.query(near.body.tenant.id, verified)).toEqual([{ verified: true }]);
    } finally {
      await development.close();
    }
  });
});
