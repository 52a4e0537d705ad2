import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { embeddingPackage, REVIEW_PACKET } from '../scripts/demo/packages.mjs';
import { type Account, admin, api, newWorkspace, operatorToken } from './platform/accounts.js';

interface Entry {
  act: string;
  subjectName: string;
  operatorEmail: string;
}

describe('the review of an app', () => {
  const appKey = `acme-reviewed-${randomBytes(4).toString('hex')}`;
  let developer: Account;
  let customer: Account;
  let operator: string;
  beforeAll(async () => {
    [developer, customer] = [await newWorkspace(), await newWorkspace()];
    operator = await operatorToken();
  });

  const asOperator = (method: string, path: string, body?: object, expect = 200) =>
    admin(method, `/api/admin/${path}`, { token: operator, body, expect });
  async function submit(changes: object): Promise<string> {
    const { body } = await api('POST', '/api/marketplace/developer/apps/submit', {
      token: developer.token,
      body: { manifest: { ...embeddingPackage(appKey), ...changes }, reviewPacket: REVIEW_PACKET },
      expect: 201,
    });
    return body.submissionId;
  }
  const install = (expect: number) =>
    api('POST', '/api/marketplace/installs', { token: customer.token, body: { appKey }, expect });

  it('goes from the queue over what changes to a suspension, and every step is in the trail', async () => {
    const first = await submit({});
    await asOperator('POST', `submissions/${first}/publish`, { reason: 'Fine' });
    await install(201);
    const second = await submit({
      version: '9.0.0',
      webhooks: [{ events: ['lead.created'], url: 'https://elsewhere.acme.example.com/events' }],
    });
    const queue = await asOperator('GET', `submissions?status=in_review&appKey=${appKey}`);
    expect(queue.body.data.map(({ id }: { id: string }) => id)).toEqual([second]);
    await asOperator('POST', `submissions/${second}/claim`);
    const { body: detail } = await asOperator('GET', `submissions/${second}`);
    expect(detail).toMatchObject({
      appKey,
      manifest: { key: appKey, version: '9.0.0' },
      reviewPacket: REVIEW_PACKET,
      certification: { passed: true },
      difference: { against: { submissionId: first, versionStatus: 'published' } },
    });
    expect(detail.difference.entries[0]).toMatchObject({
      path: '/hosts/elsewhere.acme.example.com',
      attention: 'access',
    });
    const { body: own } = await api('GET', `/api/marketplace/developer/apps/${appKey}/versions/9.0.0`, {
      token: developer.token,
      expect: 200,
    });
    expect(own.difference).toEqual(detail.difference);

    expect((await asOperator('GET', `apps/${appKey}/impact`)).body.impact).toMatchObject({
      installations: 1,
      tenants: 1,
    });
    await asOperator('POST', `apps/${appKey}/suspend`, { reason: 'It loses data.' });
    const { body: refused } = await api('POST', '/api/marketplace/installs', {
      token: (await newWorkspace()).token,
      body: { appKey },
      expect: 409,
    });
    expect(refused.code).toBe('APP_NOT_INSTALLABLE');

    const trail: Entry[] = (await asOperator('GET', `audit?q=${appKey}`)).body.data;
    expect(trail.map(({ act }) => act)).toEqual(['submission.claim', 'submission.publish']);
    const ofApp: Entry[] = (await asOperator('GET', `audit?subjectKind=app&subjectId=${appKey}`)).body.data;
    expect(ofApp).toMatchObject([{ act: 'app.suspend', reason: 'It loses data.', findings: { installations: 1 } }]);
    const signIns: Entry[] = (await asOperator('GET', 'audit?act=operator.sign-in&size=1')).body.data;
    expect(signIns[0]?.operatorEmail).toMatch(/@/);
    const { body: csv, headers } = await asOperator('GET', `audit/export?format=csv&q=${appKey}`);
    expect(headers.get('content-type')).toContain('text/csv');
    expect(String(csv).trim().split('\r\n')).toHaveLength(3);
  });
});
