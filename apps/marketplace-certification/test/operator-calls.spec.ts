import { REVIEW_DECISIONS, rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { fieldService, newKey } from './support/packages.js';

let nats: NatsConnection;
let admin: Rpc;
let { marketplace, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer } = fixture);
});

beforeAll(async () => {
  const { url, passwords } = testNats();
  const service = 'marketplace-admin';
  nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  admin = new Rpc(nats);
});
afterAll(() => nats.close());

describe('the calls of marketplace-admin', () => {
  it('list and decide submissions with the token of an operator', async () => {
    const key = newKey();
    const { body } = await marketplace.submit(developer, fieldService(key));
    const token = await marketplace.sign({ aud: 'platform-admin', roles: ['reviewer'] });
    const { data } = await admin.call(rpc.marketplace.listSubmissions, { status: 'in_review' }, { token });
    expect(data.map(({ id }) => id)).toContain(body.submissionId);
    const decided = await admin.call(
      rpc.marketplace.decideSubmission,
      { submissionId: body.submissionId, decision: 'publish', reason: 'Looks good.' },
      { token },
    );
    expect(decided).toMatchObject({ versionStatus: 'published', verdict: 'Looks good.' });
    expect((await marketplace.request(developer, 'GET', `/apps/${key}`)).status).toBe(200);
  });

  it('refuse every decision of an operator who is linked to the workspace of the publisher', async () => {
    const { body } = await marketplace.submit(developer, fieldService(newKey()));
    const linked = await marketplace.sign({
      aud: 'platform-admin',
      roles: ['administrator'],
      linked_tid: developer.tenantId,
    });
    for (const decision of REVIEW_DECISIONS) {
      const request = { submissionId: body.submissionId, decision, reason: 'mine' };
      await expect(admin.call(rpc.marketplace.decideSubmission, request, { token: linked })).rejects.toMatchObject({
        code: 'OWN_SUBMISSION',
      });
    }
    const { data } = await admin.call(rpc.marketplace.listSubmissions, { status: 'in_review' }, { token: linked });
    expect(data.find(({ id }) => id === body.submissionId)?.claimedBy).toBeNull();
  });

  it('are refused with a token of a workspace, and without a token', async () => {
    const { body } = await marketplace.submit(developer, fieldService(newKey()));
    const request = { submissionId: body.submissionId, decision: 'publish' as const, reason: 'mine' };
    await expect(
      admin.call(rpc.marketplace.decideSubmission, request, { token: developer.token }),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(admin.call(rpc.marketplace.decideSubmission, request)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });
});
