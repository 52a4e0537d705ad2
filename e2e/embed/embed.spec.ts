import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { api } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { accessibilityProblems } from './accessibility.mjs';
import { startBrowser } from './browser.mjs';
import { type Host, type HostSettings, startHost } from './host.mjs';
import { newPublisher, type Publisher } from './publisher.mjs';

const HOST = 'https://host.example.com';
/** Serves the same pages, but is not among the allowed origins. */
const OTHER = 'https://other.example.com';

let publisher: Publisher;
let host: Host;
let browser: Browser;
let settings: HostSettings;

beforeAll(async () => {
  publisher = await newPublisher(addresses, [HOST]);
  settings = {
    embedUrl: addresses.embedApiUrl,
    credentials: publisher.credentials,
    user: { sub: 'user-1', email: `user-1-${publisher.tenantId}@host.test`, name: 'Host User' },
  };
  host = await startHost(settings);
  browser = await startBrowser({ 'host.example.com': host.port, 'other.example.com': host.port });
});
afterAll(async () => {
  await browser?.close();
  await host?.stop();
});

let context: BrowserContext;
let page: Page;
let crm: FrameLocator;
beforeEach(async () => {
  host.set({ scopes: undefined, alter: undefined, headers: undefined, ...settings });
  host.reasons.length = 0;
  await context?.close();
  context = await browser.newContext({ viewport: { width: 1000, height: 720 }, locale: 'en-GB' });
  page = await context.newPage();
  crm = page.frameLocator('iframe');
});

const events = (): Promise<{ type: string; code?: string; view?: object }[]> => page.evaluate('window.events');
const open = async (): Promise<void> => {
  await page.goto(HOST);
  await crm.getByText('Ada Lovelace').waitFor();
};
const inFrame = <Result>(script: string): Promise<Result> => {
  const frame = page.frames().find((one) => one.url().startsWith(addresses.embedApiUrl));
  if (!frame) throw new Error('The embed page is not framed');
  return frame.evaluate(script);
};
const goTo = (name: string) => crm.getByRole('navigation').getByRole('button', { name }).click();

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

  it('is shown by a host page that is isolated from other origins', async () => {
    host.set({
      headers: { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' },
    });
    await open();
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
  });

  it('shows only the lists of a token with fewer scopes, and offers no writing with :read', async () => {
    host.set({ scopes: ['leads:read'] });
    await open();
    expect(await crm.getByRole('navigation').count()).toBe(0);
    expect(await crm.getByRole('button', { name: 'New Lead' }).count()).toBe(0);
    await crm.getByRole('button', { name: 'Ada Lovelace' }).click();
    await crm.getByText('You can read this record, but not change it.', { exact: false }).waitFor();
    expect(await crm.getByRole('button', { name: 'Edit' }).count()).toBe(0);
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

  it('keeps what was typed when someone else has changed the record, shows their value, and saves on a second attempt', async () => {
    const lead = { lastName: 'Noether', companyName: 'ours' };
    const { body: created } = await api('POST', '/api/crm/leads', { token: publisher.token, body: lead, expect: 201 });
    await open();
    await crm.getByRole('button', { name: 'Noether' }).click();
    await crm.getByRole('button', { name: 'Edit Company' }).click();
    const input = crm.getByRole('textbox', { name: 'Company' });
    await input.fill('mine');
    const path = `/api/crm/leads/${created.id}`;
    await api('PATCH', path, { token: publisher.token, body: { companyName: 'theirs' }, expect: 200 });
    await crm.getByRole('button', { name: 'Save' }).click();
    await crm.getByRole('alert').getByText('theirs').waitFor();
    expect(await input.inputValue()).toBe('mine');
    await crm.getByRole('button', { name: 'Save my value' }).click();
    await crm.getByRole('button', { name: 'Edit Company' }).waitFor();
    expect((await api('GET', path, { token: publisher.token, expect: 200 })).body).toMatchObject({
      companyName: 'mine',
    });
  });

  it('moves an opportunity to another stage', async () => {
    await open();
    await goTo('Deals');
    await crm.getByLabel('Move Punched cards to').selectOption('Proposal');
    await crm.getByRole('region', { name: 'Proposal' }).getByText('Punched cards').waitFor();
  });

  it('follows the theme, the locale and the deep links of the host, and reports where the user goes', async () => {
    await open();
    await page.evaluate(
      `embedding.setLocale('de'); embedding.setTheme({ colorScheme: 'dark', colors: { accent: '#e0457b' } });`,
    );
    await crm.getByRole('button', { name: 'Lead anlegen' }).waitFor();
    const root = 'document.documentElement';
    expect(await inFrame(`${root}.dataset.mantineColorScheme`)).toBe('dark');
    const fill = `getComputedStyle(${root}).getPropertyValue('--mantine-primary-color-filled')`;
    expect(await inFrame(fill)).toBe('#e0457b');
    await page.evaluate(`embedding.navigate({ object: 'tasks' })`);
    await crm.getByRole('button', { name: 'Call Mary about the offer' }).click();
    await crm.getByRole('button', { name: 'bearbeiten' }).first().waitFor();
    const visited = (await events()).filter(({ type }) => type === 'navigate');
    expect(visited.at(-1)?.view).toEqual({ object: 'tasks', recordId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('takes its content and its frame away when the host destroys it', async () => {
    await open();
    await page.evaluate('embedding.destroy(); embedding.destroy()');
    expect(await page.locator('iframe').count()).toBe(0);
    expect((await events()).filter(({ type }) => type === 'destroyed')).toHaveLength(1);
  });

  it('has no accessibility problems, light and dark, wide and narrow', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await open();
      const frame = page.frames()[1];
      const check = async (what: string) => expect([what, await accessibilityProblems(frame)]).toEqual([what, []]);
      await check(`list, ${colorScheme}`);
      await crm.getByRole('button', { name: 'Ada Lovelace' }).click();
      await crm.getByRole('button', { name: 'Edit Last name' }).click();
      await crm.getByRole('textbox', { name: 'Last name' }).fill('');
      await crm.getByRole('button', { name: 'Save' }).click();
      await crm.getByText('Fill in this field.').waitFor();
      await check(`form, ${colorScheme}`);
      await goTo('Deals');
      await crm.getByText('Difference engine').waitFor();
      await check(`pipeline, ${colorScheme}`);
      await crm.getByRole('button', { name: 'New Deal' }).click();
      await crm.getByRole('combobox', { name: 'Company' }).fill('Ana');
      await crm.getByRole('option', { name: 'Analytical Engines' }).waitFor();
      await check(`picker, ${colorScheme}`);
    }
    await page.setViewportSize({ width: 360, height: 700 });
    await goTo('Leads');
    await crm.getByText('Ada Lovelace').waitFor();
    expect(await accessibilityProblems(page.frames()[1])).toEqual([]);
    expect(await inFrame('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
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

  it('that ran out during a sleep takes no half-typed form away, although the host needs two attempts for another', async () => {
    await page.clock.install();
    await open();
    await crm.getByRole('button', { name: 'New Lead' }).click();
    await crm.getByLabel('Last name').fill('Half-typed');
    let refusals = 0;
    await page.route('**/token?*', (route) => (++refusals === 1 ? route.abort() : route.continue()));
    await page.clock.fastForward(1_000_000);
    await page.waitForFunction(`events.some(({ code }) => code === 'fetch_token_failed')`);
    await page.clock.fastForward(4_000);
    await page.waitForFunction(`events.filter(({ type }) => type === 'token').length > 1`);
    expect(await crm.getByLabel('Last name').inputValue()).toBe('Half-typed');
    await crm.getByRole('button', { name: 'Save' }).click();
    await crm.getByRole('heading', { name: 'Half-typed' }).waitFor();
  });

  it('of another user takes away what was shown for the one before', async () => {
    await page.clock.install();
    await open();
    const user = { sub: 'user-3', email: `user-3-${publisher.tenantId}@host.test`, name: 'Their Colleague' };
    host.set({ user, scopes: ['contacts:read'] });
    await page.clock.fastForward(841_000);
    await crm.getByText('Mary Somerville').waitFor();
    expect(await inFrame('document.body.innerText')).not.toContain('Lovelace');
    expect(host.reasons).toEqual(['first', 'expiring']);
  });

  it('is replaced when it is refused, without the user noticing', async () => {
    host.set({ alter: (token) => (host.reasons.at(-1) === 'first' ? token.replace(/[^.]+$/, 'AAAA') : token) });
    await open();
    expect(host.reasons).toEqual(['first', 'refused']);
  });

  it('of a user who is disabled ends within a second, with everything that it showed', async () => {
    const user = { sub: 'user-2', email: `user-2-${publisher.tenantId}@host.test`, name: 'Somebody' };
    host.set({ user });
    let authorization = '';
    page.on('request', async (request) => {
      if (request.url().startsWith(addresses.baseUrl)) ({ authorization = authorization } = await request.allHeaders());
    });
    await open();
    const { body } = await api('GET', '/api/tenant/users?size=200', { token: publisher.token, expect: 200 });
    const { id } = body.data.find(({ email }: { email: string }) => email === user.email);
    await api('PATCH', `/api/tenant/users/${id}`, {
      token: publisher.token,
      body: { status: 'disabled' },
      expect: 200,
    });
    const begun = Date.now();
    while ((await api('GET', '/api/auth/me', { headers: { authorization } })).status !== 401) {
      expect(Date.now() - begun).toBeLessThan(1000);
    }
    await goTo('Contacts');
    await crm.getByText('Your session has ended').waitFor();
    expect(await inFrame('document.body.innerText')).not.toContain('Lovelace');
    expect((await events()).map(({ code }) => code).filter(Boolean)).toEqual(['fetch_token_failed', 'token_refused']);
    expect(host.reasons).toEqual(['first', 'refused']);
  });

  it('is not asked for by other windows, and no other window is listened to', async () => {
    await open();
    await page.evaluate(`new Promise((resolve) => {
      const intruder = document.createElement('iframe');
      intruder.id = 'intruder';
      document.body.append(intruder);
      const script = intruder.contentDocument.createElement('script');
      // The message has the allowed origin, but does not come from the parent of the embed page.
      script.text = "for (const type of ['destroyed', 'token-failed']) parent.frames[0].postMessage({ protocol: 'crm-embed', version: 1, type }, '*');" +
        "parent.postMessage({ protocol: 'crm-embed', version: 1, type: 'token-wanted', reason: 'refused' }, '*')";
      intruder.contentDocument.body.append(script);
      setTimeout(resolve, 100);
    })`);
    crm = page.frameLocator('main iframe');
    await goTo('Contacts');
    await crm.getByText('Mary Somerville').waitFor();
    expect(host.reasons).toEqual(['first']);
  });
});
