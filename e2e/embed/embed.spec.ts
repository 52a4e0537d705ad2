import { describe, expect, it } from '@jest/globals';
import { api } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { context, crm, events, goTo, host, inFrame, OTHER, open, page, publisher } from './framed.js';

describe('the CRM in a frame of an allowed origin', () => {
  it('shows what the scopes allow: lists, the pipeline by stage, records and custom objects', async () => {
    await open();
    expect(await crm.getByRole('navigation').getByRole('button').allTextContents()).toEqual([
      'Leads',
      'Contacts',
      'Companies',
      'Deals',
      'Tasks',
      'Site visits',
    ]);
    await goTo('Deals');
    await crm.getByText('Difference engine').waitFor();
    expect(await crm.locator('.stage h2').allTextContents()).toEqual([
      'Qualification 2',
      'Discovery 0',
      'Proposal 1',
      'Negotiation 1',
    ]);
    await goTo('Site visits');
    await crm.getByRole('button', { name: 'Roof of the town hall' }).click();
    await crm.getByText('Last changed', { exact: false }).waitFor();
    // The host user is a member: the fields that the app keeps from members are not shown.
    expect(await crm.getByRole('term').allTextContents()).not.toContain('Hourly rate');
    expect((await events()).at(-1)).toMatchObject({ type: expect.stringMatching(/navigate|resize/) });
  });

  it('creates a record, and shows what is wrong with one in words beside the field', async () => {
    await open();
    await crm.getByRole('button', { name: 'New Lead' }).click();
    await crm.getByRole('button', { name: 'Save' }).click();
    await crm.getByText('Fill in this field.').waitFor();
    await crm.getByLabel('Last name').fill('Hopper');
    await crm.getByLabel('Email').fill('nonsense');
    await crm.getByRole('button', { name: 'Save' }).click();
    await crm.getByText('Must be an email address', { exact: false }).waitFor();
    await crm.getByLabel('Email').fill('grace@example.com');
    await crm.getByRole('button', { name: 'Save' }).click();
    await crm.getByRole('heading', { name: 'Hopper' }).waitFor();
    const { body } = await api('GET', '/api/crm/leads?q=grace', { token: publisher.token, expect: 200 });
    expect(body.data).toMatchObject([{ lastName: 'Hopper', email: 'grace@example.com' }]);
  });
});

describe('a page that may not frame the CRM', () => {
  const embedFrame = () => page.frames().find((frame) => frame.url().startsWith('chrome-error:'));

  it.each([
    ['of an origin that the app does not allow', OTHER],
    ['of an allowed origin that is itself framed by another', `${OTHER}/nested`],
  ])('%s gets nothing: the browser refuses the frame', async (_, address) => {
    const answers: string[] = [];
    page.on('response', (response) => answers.push(new URL(response.url()).pathname));
    await page.goto(address);
    for (let waited = 0; !embedFrame() && waited < 100; waited += 1) await page.waitForTimeout(50);
    expect(embedFrame()).toBeDefined();
    expect(answers.filter((path) => path.startsWith('/embed/assets'))).toEqual([]);
    expect(
      page
        .frames()
        .map((frame) => frame.url())
        .filter((url) => url.startsWith(addresses.embedApiUrl)),
    ).toEqual([]);
  });
});

describe('the token', () => {
  it('is nowhere but in memory: not in an address, a storage, a cookie or a cache', async () => {
    const seen: string[] = [];
    page.on('request', (request) => seen.push(request.url()));
    await open();
    await crm.getByRole('button', { name: 'Ada Lovelace' }).click();
    await crm.getByRole('button', { name: 'Edit Last name' }).waitFor();
    const stored = await inFrame<object>(`(async () => ({
      local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie,
      databases: await indexedDB.databases(), address: location.href, history: history.length, name: window.name,
    }))()`);
    expect(stored).toEqual({
      local: {},
      session: {},
      cookie: '',
      databases: [],
      address: `${addresses.embedApiUrl}/embed/${publisher.credentials.clientId}`,
      history: expect.any(Number),
      name: '',
    });
    expect(await context.cookies()).toEqual([]);
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.filter((url) => /eyJ|token=/.test(url))).toEqual([]);
  });

  it('is replaced a minute before it ends, and nothing on the page changes', async () => {
    const used = new Set<string>();
    page.on('request', async (request) => {
      const { authorization } = await request.allHeaders();
      if (authorization && request.url().startsWith(addresses.baseUrl)) used.add(authorization);
    });
    await page.clock.install();
    await open();
    await page.waitForLoadState('networkidle');
    await inFrame(`window.changes = 0; new MutationObserver((records) => { window.changes += records.length; })
      .observe(document.getElementById('root'), { subtree: true, childList: true, characterData: true })`);
    expect(host.reasons).toEqual(['first']);
    await page.clock.fastForward(841_000);
    await page.waitForFunction(`events.some(({ type, reason }) => type === 'token' && reason === 'expiring')`);
    expect(host.reasons.slice(0, 2)).toEqual(['first', 'expiring']);
    expect(await inFrame('window.changes')).toBe(0);
    await goTo('Contacts');
    await crm.getByText('Mary Somerville').waitFor();
    expect(used.size).toBeGreaterThanOrEqual(2);
  });
});
