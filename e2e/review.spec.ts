import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { embeddingPackage, REVIEW_PACKET } from '../scripts/demo/packages.mjs';
import { type Account, admin, api, newUser, newWorkspace, operatorToken } from './platform/accounts.js';
import { mailsTo, mailTo } from './platform/mails.js';

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

  it('is told by mail to the administrators of the publisher, decision by decision', async () => {
    const colleague = await newUser(developer, 'admin');
    const member = await newUser(developer, 'member');
    const key = `acme-told-${randomBytes(4).toString('hex')}`;
    const manifest = { ...embeddingPackage(key), name: 'Told Visits' };
    const submitted = async (version: string): Promise<string> => {
      const body = { manifest: { ...manifest, version }, reviewPacket: REVIEW_PACKET };
      const path = '/api/marketplace/developer/apps/submit';
      return (await api('POST', path, { token: colleague.token, body, expect: 201 })).body.submissionId;
    };
    const told = async (subject: string, reason: string) => {
      for (const { email } of [developer, colleague]) {
        const { text } = await mailTo(email, subject);
        expect(text).toContain(`  ${reason}`);
        const [, path] = /^GET https?:\/\/[^/]+(\/\S+)$/m.exec(text) ?? [];
        // What the mail names is there to be read, by whom it was sent to.
        const { body } = await api('GET', path ?? '', { token: colleague.token, expect: 200 });
        expect(body.verdict).toBe(reason);
      }
    };
    await asOperator('POST', `submissions/${await submitted('1.0.0')}/publish`, { reason: 'Fine.' });
    await told('Version 1.0.0 of the app Told Visits was published', 'Fine.');
    await asOperator('POST', `submissions/${await submitted('1.1.0')}/reject`, { reason: 'The demo does not start.' });
    await told('Version 1.1.0 of the app Told Visits was rejected', 'The demo does not start.');
    await asOperator('POST', `apps/${key}/revoke`, { reason: 'It copies contacts elsewhere.' });
    await told('The app Told Visits was revoked', 'It copies contacts elsewhere.');
    for (const { email } of [developer, colleague]) {
      const subjects = (await mailsTo(email)).map(({ subject }) => subject).filter((text) => /Told Visits/.test(text));
      expect(subjects.sort()).toEqual([
        'The app Told Visits was revoked',
        'Version 1.0.0 of the app Told Visits was published',
        'Version 1.1.0 of the app Told Visits was rejected',
      ]);
    }
    expect((await mailsTo(member.email)).filter(({ subject }) => /Told Visits/.test(subject))).toEqual([]);
  });
});
