import { type Plan, rpc } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { type Caller, quota, refusal } from './support/marketplace.js';
import { fieldService, newKey, reviewPacket } from './support/packages.js';

let { marketplace, neighbours, developer } = {} as Fixture;
useMarketplace(
  (fixture) => {
    ({ marketplace, neighbours, developer } = fixture);
  },
  {},
  { certifications: { ...quota(2), enterprise: 3 }, submissions: quota(2) },
);

const certify = (caller: Caller, manifest: object = {}) =>
  marketplace.request(caller, 'POST', '/developer/certifications', { manifest });
const isTenant = (more: { plan?: Plan; verified?: boolean }) =>
  neighbours.instead(rpc.identity.getTenant, ({ tenantId }) => ({
    id: tenantId,
    name: 'Acme',
    plan: 'developer' as const,
    timeZone: 'UTC',
    country: null,
    ...more,
  }));

describe('a workspace whose address is not verified', () => {
  it('certifies, and submits nothing', async () => {
    isTenant({ verified: false });
    expect((await certify(developer)).status).toBe(200);
    expect(await refusal(marketplace.submit(developer, fieldService(newKey())))).toEqual([403, 'EMAIL_NOT_VERIFIED']);
    isTenant({ verified: true });
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(201);
  });
});

describe('the quotas of a publisher', () => {
  it('stop certifications by plan, failed ones included, and not those of another workspace', async () => {
    expect((await certify(developer)).body).toMatchObject({ passed: false });
    expect((await certify(developer, fieldService(newKey()))).status).toBe(200);
    const { status, headers, body } = await certify(developer, fieldService(newKey()));
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(body.detail).toBe('The limit of 2 certifications per day is reached');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect((await certify(await marketplace.caller('owner'))).status).toBe(200);
    isTenant({ plan: 'enterprise' });
    expect((await certify(developer)).status).toBe(200);
    expect((await certify(developer)).status).toBe(429);
  });

  it('stop submissions, failed ones included, also after a restart', async () => {
    expect((await marketplace.submit(developer, {})).status).toBe(422);
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(201);
    await marketplace.restart();
    const { status, body } = await marketplace.submit(developer, fieldService(newKey()));
    expect([status, body.detail]).toEqual([429, 'The limit of 2 submissions per day is reached']);
  });

  it('do not refuse the repetition of a submission that was within them', async () => {
    const body = { manifest: fieldService(newKey()), reviewPacket };
    const submit = () =>
      marketplace.request(developer, 'POST', '/developer/apps/submit', body, { 'idempotency-key': 'again' });
    const first = await submit();
    await marketplace.submit(developer, fieldService(newKey()));
    const again = await submit();
    expect([again.status, again.body.submissionId]).toEqual([201, first.body.submissionId]);
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(429);
  });
});
