import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Frame, Page } from 'puppeteer-core';
import { api } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { startFirefox } from './firefox.mjs';
import { type Host, startHost } from './host.mjs';
import { newPublisher, type Publisher } from './publisher.mjs';

const HOST = 'https://host.example.com';
/** Serves the same pages, but is not among the allowed origins. */
const OTHER = 'https://other.example.com';

let publisher: Publisher;
let host: Host;
let firefox: Awaited<ReturnType<typeof startFirefox>>;
beforeAll(async () => {
  // More than one allowed origin: the page has to find out which of them frames it.
  publisher = await newPublisher(addresses, ['https://first.example.com', HOST]);
  host = await startHost({
    embedUrl: addresses.embedApiUrl,
    credentials: publisher.credentials,
    user: { sub: 'user-1', email: `user-1-${publisher.tenantId}@host.test`, name: 'Host User' },
  });
  firefox = await startFirefox({ 'host.example.com': host.port, 'other.example.com': host.port });
});
afterAll(async () => {
  await firefox?.close();
  await host?.stop();
});

let page: Page;
beforeEach(async () => {
  await page?.close();
  host.reasons.length = 0;
  page = await firefox.browser.newPage();
  await page.setViewport({ width: 1000, height: 720 });
});

/** The page of the CRM, once its first list is there. */
async function open(): Promise<Frame> {
  await page.goto(HOST);
  const frame = await page.waitForFrame((one) => one.url().startsWith(addresses.embedApiUrl));
  await frame.locator('::-p-text(Ada Lovelace)').wait();
  return frame;
}
const events = async () => (await page.evaluate('window.events')) as { type: string; code?: string; view?: object }[];

describe('the CRM in a frame of Firefox', () => {
  it('shows its lists, tells the host when it is ready, and reports no error', async () => {
    await open();
    expect(host.reasons).toEqual(['first']);
    const seen = await events();
    expect(seen.map(({ type }) => type)).toEqual(expect.arrayContaining(['ready', 'token', 'resize']));
    expect(seen.filter(({ code }) => code)).toEqual([]);
  });

  it('opens a record, saves a value and reports the view', async () => {
    const frame = await open();
    await frame.locator('::-p-text(Sophie Germain)').click();
    await frame.locator('::-p-aria([name="Edit Company"])').click();
    await frame.locator('::-p-aria([name="Company"][role="textbox"])').fill('Number Theory Ltd');
    await frame.locator('::-p-aria([name="Save"])').click();
    await frame.locator('::-p-aria([name="Edit Company"])').wait();
    const { body } = await api('GET', '/api/crm/leads?q=sophie', { token: publisher.token, expect: 200 });
    expect(body.data).toMatchObject([{ companyName: 'Number Theory Ltd' }]);
    const visited = (await events()).filter(({ type }) => type === 'navigate');
    expect(visited.at(-1)?.view).toEqual({ object: 'leads', recordId: body.data[0].id });
  });

  it('follows the locale and the deep links of the host', async () => {
    const frame = await open();
    await page.evaluate(`embedding.setLocale('de'); embedding.navigate({ object: 'contacts' })`);
    await frame.locator('::-p-text(Mary Somerville)').wait();
    await frame.locator('::-p-text(Kontakte)').wait();
  });

  it('is taken away when the host destroys it', async () => {
    await open();
    await page.evaluate('embedding.destroy()');
    expect(await page.$('iframe')).toBeNull();
    expect((await events()).at(-1)?.type).toBe('destroyed');
  });

  it.each([
    ['an origin that the app does not allow', '/', OTHER],
    ['an allowed origin that is itself framed by another', '/nested', HOST],
  ])('is refused to %s', async (_, path, around) => {
    await page.goto(`${OTHER}${path}`);
    const frame = await page.waitForFrame((one) => one.url() === `${around}/`);
    await frame.waitForFunction(`window.events?.some(({ code }) => code === 'frame_refused')`, { polling: 200 });
    expect(await frame.evaluate('window.events.map(({ type }) => type)')).toEqual(['error']);
  });
});
