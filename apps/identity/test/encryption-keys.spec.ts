import { randomBytes } from 'node:crypto';
import { Database, newId } from '@crm/database';
import { runReencrypt, unlistedColumns } from '@crm/encryption';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { IdentityConfig } from '../src/config.js';
import { MailCodes } from '../src/guesses/mail-codes.js';
import { AfterResponse } from '../src/mail/after-response.service.js';
import type { Mail } from '../src/mail/mail.entity.js';
import { MailSeal } from '../src/mail/mail-seal.js';
import { sealedColumns } from '../src/sealed-columns.js';
import { SigningKeyService } from '../src/sessions/signing-key.service.js';
import { protectedAccount, TestAuthenticator } from './authenticators.js';
import { TestIdentity } from './identity.js';

const [OLD, NEW] = Array.from({ length: 2 }, () => randomBytes(32).toString('base64')) as [string, string];

const replicas: TestIdentity[] = [];
// Before the database is dropped.
afterAll(async () => {
  for (const replica of replicas) await replica.close();
});
const identity = TestIdentity.ofFile({ settings: { keyEncryptionKey: OLD } });

async function replicaWith(keyEncryptionKey: string): Promise<TestIdentity> {
  const replica = await identity.replica({ keyEncryptionKey });
  replicas.push(replica);
  return replica;
}

async function reencrypt(keys: string, ...args: string[]): Promise<{ code: number; out: string[]; errors: string[] }> {
  const [out, errors]: [string[], string[]] = [[], []];
  const output = { out: (text: string) => out.push(text), error: (text: string) => errors.push(text) };
  const code = await runReencrypt({ database: identity.database.config, keys, columns: sealedColumns }, args, output);
  return { code, out, errors };
}

/** Signs in with the password and a code. @returns the status */
async function signIn(at: TestIdentity, email: string, app: TestAuthenticator): Promise<number> {
  const { challengeId } = (await at.login(email)).body;
  return (await at.post('/api/auth/mfa/verify', { challengeId, code: await app.freshCode() })).status;
}

const mailsOf = (tenantId: string) =>
  identity.query<Mail>(tenantId, 'SELECT id, body, sealed_body AS "sealedBody" FROM mail');

describe('the encryption key of a running service', () => {
  it('is replaced without losing a second factor, a signing key or a mail', async () => {
    const { account, app } = await protectedAccount(identity);
    await identity.post('/api/auth/password-resets', { email: account.email });
    await identity.get(AfterResponse).beforeApplicationShutdown();
    const oldSeal = new MailSeal({ keyEncryptionKey: OLD } as IdentityConfig);
    const texts = new Map((await mailsOf(account.tenantId)).map((mail) => [mail.id, oldSeal.open(mail)]));
    expect([...texts.values()].join()).toContain('/password-reset#token=');

    // Every replica learns the new key before one seals with it.
    const first = await replicaWith(`old:${OLD},new:${NEW}`);
    const second = await replicaWith(`new:${NEW},old:${OLD}`);
    const { account: late, app: lateApp } = await protectedAccount(second);
    expect(await signIn(first, late.email, lateApp)).toBe(200);
    expect(await signIn(second, account.email, app)).toBe(200);

    // The new key alone would lose what the old one sealed, so nothing starts with it.
    const refusal = /The encryption keys do not fit the database: .* is missing/;
    await expect(replicaWith(`new:${NEW}`)).rejects.toThrow(refusal);
    const status = await reencrypt(`new:${NEW}`, '--status');
    expect(status.out).toContainEqual(expect.stringMatching(/^authenticator.*no name/));

    const { code, out, errors } = await reencrypt(`new:${NEW},old:${OLD}`);
    expect([code, errors]).toEqual([0, []]);
    expect(out.at(-1)).toBe('may be taken out of the ring: old');
    const last = await replicaWith(`new:${NEW}`);
    expect(await signIn(last, account.email, app)).toBe(200);
    expect(await signIn(last, late.email, lateApp)).toBe(200);
    const newSeal = new MailSeal({ keyEncryptionKey: `new:${NEW}` } as IdentityConfig);
    for (const mail of await mailsOf(account.tenantId)) {
      if (texts.has(mail.id)) expect(newSeal.open(mail)).toBe(texts.get(mail.id));
    }
    await last.get(SigningKeyService).signingKey('platform-admin');
  });

  it('changes while a code that was sent by mail is on its way', () => {
    const codes = (keyEncryptionKey: string) => new MailCodes({ keyEncryptionKey } as IdentityConfig);
    const challengeId = newId();
    const stored = codes(OLD).mac(challengeId, '123456');
    const ring = codes(`new:${NEW},old:${OLD}`);
    expect(ring.isRight(challengeId, '123456', stored)).toBe(true);
    expect(ring.isRight(challengeId, '123457', stored)).toBe(false);
    expect(ring.isRight(newId(), '123456', stored)).toBe(false);
    expect(codes(`new:${NEW}`).isRight(challengeId, '123456', stored)).toBe(false);
  });
});

describe('a box that was put into another row', () => {
  it('is no second factor there, also after everything was sealed again', async () => {
    const keys = `new:${NEW}`;
    const at = replicas.at(-1) as TestIdentity;
    const [mine, theirs] = [await protectedAccount(at), await protectedAccount(at)];
    const read = async ({ tenantId }: { tenantId: string }) => {
      const sql = 'SELECT sealed_secret AS box FROM authenticator';
      return (await identity.query<{ box: Buffer }>(tenantId, sql))[0]?.box as Buffer;
    };
    const [box, own] = [await read(mine.account), await read(theirs.account)];
    const put = (sealed: Buffer) =>
      identity.query(theirs.account.tenantId, 'UPDATE authenticator SET sealed_secret = $1', [sealed]);
    const asThem = new TestAuthenticator(at, theirs.account.tenantId, mine.app.secret);

    await put(box);
    expect(await signIn(at, theirs.account.email, asThem)).not.toBe(200);
    const { code, errors } = await reencrypt(`newest:${randomBytes(32).toString('base64')},${keys}`);
    expect(code).toBe(1);
    expect(errors).toEqual([
      expect.stringContaining(`${theirs.account.tenantId} ${theirs.account.userId}: The box was`),
    ]);
    expect((await read(theirs.account)).equals(box)).toBe(true);
    for (const forged of [own.subarray(0, 20), Buffer.concat([Buffer.of(2, 3), Buffer.from('old'), own.subarray(5)])]) {
      await put(forged);
      expect(await signIn(at, theirs.account.email, theirs.app)).not.toBe(200);
    }
  });
});

describe('the sealed columns of identity', () => {
  it('are all listed', async () => {
    const others = [
      // Sealed with a key that only the token gives.
      'refresh_token.sealed_successor',
      'oauth_refresh_token.sealed_successor',
      // Public.
      'passkey.credential_id',
      'passkey.public_key',
      // A hash.
      'email_claim.password_key',
      'local_account.password_key',
    ];
    const problems = await identity.get(Database).crossTenant((tx) => unlistedColumns(tx, sealedColumns, others));
    expect(problems).toEqual({ unlisted: [], unknown: [] });
  });
});
