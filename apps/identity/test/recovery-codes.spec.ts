import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashRecoveryCode } from '../src/sign-in/authenticator.service.js';
import { protectedAccount } from './authenticators.js';
import { TestIdentity } from './identity.js';

/** As earlier versions have made them: 120 and 80 bits. */
const EARLIER_CODES = ['ABCD-EFGH-IJKL-MNOP-QRST-UVWX', 'ABCD-EFGH-IJKL-MNOP'];

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const signIn = async (email: string, code: string) => {
  const { challengeId } = (await identity.login(email)).body;
  return (await identity.post('/api/auth/mfa/verify', { challengeId, code })).status;
};

describe('recovery codes', () => {
  it('have 128 bits at least, and are accepted however they are written', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    for (const code of recoveryCodes) {
      expect(code).toMatch(/^([A-Z2-7]{4}-){6}[A-Z2-7]{4}$/);
      // Five bits a character.
      expect(code.replaceAll('-', '').length * 5).toBeGreaterThanOrEqual(128);
    }
    // A character that is always the same would have no bits.
    for (let place = 0; place < 34; place += 1) {
      if (place % 5 !== 4) expect(new Set(recoveryCodes.map((code) => code[place])).size).toBeGreaterThan(1);
    }
    const [first = '', second = '', third = '', fourth = ''] = recoveryCodes;
    expect(await signIn(account.email, first)).toBe(200);
    expect(await signIn(account.email, second.replaceAll('-', '').toLowerCase())).toBe(200);
    expect(await signIn(account.email, third.replaceAll('-', ' '))).toBe(200);
    expect(await signIn(account.email, fourth.slice(0, 29))).toBe(401);
  });

  it.each(EARLIER_CODES)('of an earlier version stay valid, once each: %s', async (earlier) => {
    const { account } = await protectedAccount(identity);
    const { tenantId, userId, email } = account;
    const row = [tenantId, userId, hashRecoveryCode(userId, earlier)];
    await identity.query(
      tenantId,
      'INSERT INTO recovery_code (tenant_id, user_id, code_hash) VALUES ($1, $2, $3)',
      row,
    );
    expect(await signIn(email, earlier)).toBe(200);
    expect(await signIn(email, earlier)).toBe(401);
  });
});
