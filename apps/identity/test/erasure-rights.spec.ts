import { TokenVerifier } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entryOf } from './audit.js';
import { newEmail, type TestIdentity } from './identity.js';
import { PersonalData } from './personal-data.js';

let data: PersonalData;
let identity: TestIdentity;
beforeAll(async () => {
  data = await PersonalData.start();
  ({ identity } = data);
});
afterAll(() => data?.close());

describe('erasing a user', () => {
  it('is what a user can do with themselves, after a recent proof', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner, ['viewer']);
    await data.forgetProof(owner);
    expect((await data.eraseSelf(member)).body.code).toBe('STEP_UP_REQUIRED');
    expect((await identity.stepUp(member.accessToken)).status).toBe(204);
    expect((await data.eraseSelf(member)).status).toBe(204);
    await waitUntil(() => data.isRefused(member), {
      timeoutMs: 1000,
      describe: 'the token of the erased user is refused',
    });
    expect(await entryOf(identity, owner, 'user.erased')).toMatchObject({
      actor: { kind: 'user', id: member.userId, name: null },
      address: null,
      detail: { bySelf: true },
    });
  });

  it('is refused to the last owner, until somebody else is one', async () => {
    const owner = await identity.account();
    const member = await identity.member(owner);
    expect((await data.eraseSelf(owner)).body.code).toBe('CONFLICT');
    expect((await data.erase(owner, owner.userId)).body.code).toBe('CONFLICT');
    expect(await data.isRefused(owner)).toBe(false);
    await data.send('PATCH', `/api/tenant/users/${member.userId}`, owner, { roles: ['owner'] });
    expect((await data.eraseSelf(owner)).status).toBe(204);
    const heir = await identity.signedIn(member.email);
    expect((await data.eraseSelf(heir)).body.code).toBe('CONFLICT');
  });

  it('leaves one of two owners who erase themselves at the same moment', async () => {
    const owner = await identity.account();
    const other = await identity.member(owner, ['owner']);
    const answers = await Promise.all([data.eraseSelf(owner), data.eraseSelf(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('is refused to members, to administrators of less rank, to other workspaces and without a recent proof', async () => {
    const owner = await identity.account();
    const admin = await identity.member(owner, ['admin']);
    const member = await identity.member(owner);
    const stranger = await identity.account();
    expect((await data.erase(member, admin.userId)).status).toBe(403);
    expect((await data.erase(admin, owner.userId)).body.code).toBe('ROLE_NOT_GRANTABLE');
    expect((await data.erase(stranger, member.userId)).status).toBe(404);
    expect((await data.erase(owner, 'not-an-id')).status).toBe(404);
    await data.forgetProof(owner);
    expect((await data.erase(admin, member.userId)).body.code).toBe('STEP_UP_REQUIRED');
    for (const account of [owner, admin, member]) expect(await data.isRefused(account)).toBe(false);
  });

  it('is refused to an embed token, which ends with its user', async () => {
    const owner = await identity.account();
    const mint = await data.host(owner);
    const { embedToken } = await mint('sub-1', newEmail());
    const embedded = { ...owner, accessToken: embedToken };
    expect((await data.eraseSelf(embedded)).status).toBe(403);
    const { sub } = await identity
      .get(TokenVerifier)
      .verify(embedToken, [AUDIENCES.api])
      .then(({ userId }) => ({ sub: userId }));
    expect((await data.erase(owner, sub)).status).toBe(204);
    await waitUntil(() => data.isRefused(embedded), { timeoutMs: 1000, describe: 'the embed token is refused' });
    // The host can bring the person again: as another user.
    const again = await mint('sub-1', newEmail());
    const principal = await identity.get(TokenVerifier).verify(again.embedToken, [AUDIENCES.api]);
    expect(principal.userId).not.toBe(sub);
  });
});
