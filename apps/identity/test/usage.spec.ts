import { rpc } from '@crm/contracts';
import { answerRpc } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { callerOfFile } from './caller.js';
import { type Account, newEmail, withMail } from './identity.js';
import { TestOperators } from './operators.js';

const { identity, mailServer } = withMail();
const operators = new TestOperators(identity);
const objects = callerOfFile('custom-objects');

/** What custom-objects answers. */
let stored = { records: 0, bytes: 0, customObjects: 0 };
let neighbour: Awaited<ReturnType<typeof answerRpc>>;
let operator: string;
let owner: Account;
beforeAll(async () => {
  neighbour = await answerRpc(rpc.customObjects.getStorageUse, () => stored);
  operator = (await operators.signedIn(await operators.create())).accessToken;
});
afterAll(() => neighbour?.close());
beforeEach(async () => {
  owner = await identity.account();
  stored = { records: 12, bytes: 3_400, customObjects: 2 };
});

const usage = () => identity.send('GET', '/api/tenant/usage', owner);
const setLimits = (limits: object) => operators.call('setPlan', { id: owner.tenantId, limits }, operator);
const invite = () =>
  identity.post('/api/tenant/users', { email: newEmail(), name: 'Ada', roles: ['member'] }, owner.accessToken);

describe('the usage of a workspace', () => {
  it('is shown with the limits of its plan, or those that operators have set, to its administrators and to operators', async () => {
    expect((await usage()).body).toEqual({
      records: { used: 12, limit: 50_000 },
      bytes: { used: 3_400, limit: 1_000_000_000 },
      users: { used: 1, limit: 50 },
      customObjects: { used: 2, limit: 10 },
      notices: [],
    });
    await setLimits({ records: 100_000, users: 7 });
    expect((await usage()).body).toMatchObject({ records: { limit: 100_000 }, users: { limit: 7 } });
    const { limits } = await objects.call(rpc.identity.getTenant, { tenantId: owner.tenantId });
    expect(limits).toEqual({ records: 100_000, bytes: 1_000_000_000, users: 7 });
    await setLimits({ records: null });
    expect((await usage()).body).toMatchObject({ records: { limit: 50_000 }, users: { limit: 7 } });
    expect(await operators.call('getUsage', { id: owner.tenantId }, operator)).toMatchObject({ users: { limit: 7 } });
    const member = await identity.member(owner);
    expect((await identity.send('GET', '/api/tenant/usage', member)).status).toBe(403);
  });

  it('has a notice of what is nearly at its limit, and of what is at it', async () => {
    await setLimits({ records: 15, users: 1 });
    stored = { records: 12, bytes: 799_999_999, customObjects: 8 };
    expect((await usage()).body).toMatchObject({
      notices: [
        { code: 'NEARLY_FULL', severity: 'warning', detail: 'Records: 12 of 15' },
        { code: 'LIMIT_REACHED', severity: 'critical', detail: 'Users: 1 of 1' },
        { code: 'NEARLY_FULL', severity: 'warning', detail: 'Custom objects: 8 of 10' },
      ],
    });
  });

  it('keeps further users out at the limit, also when several are added at once', async () => {
    await setLimits({ users: 3 });
    const statuses = (await Promise.all([invite(), invite(), invite(), invite()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 201, 422, 422]);
    expect((await invite()).body).toMatchObject({ code: 'STORAGE_LIMIT_REACHED', kind: 'users', used: 3, limit: 3 });
  });

  it('is told to the administrators by mail once when it is nearly at a limit', async () => {
    await setLimits({ records: 100 });
    const note = (records: number) =>
      objects.call(rpc.identity.noteStorageUse, { tenantId: owner.tenantId, records, bytes: 10 });
    await note(79);
    await note(80);
    await note(81);
    const saying = 'Your workspace is nearly full';
    expect((await mailServer.mailTo(owner.email, 0, saying)).text).toContain('Records: 80 of 100');
    expect(mailServer.mails.filter(({ to, text }) => to === owner.email && text.includes(saying))).toHaveLength(1);
  });
});
