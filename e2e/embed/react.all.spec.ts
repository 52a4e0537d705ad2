import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { inRoot } from '../../scripts/root.mjs';
import { addresses } from '../platform/addresses.js';
import { startBrowser } from './browser.mjs';
import { type Host, startHost } from './host.mjs';
import { newPublisher, type Publisher } from './publisher.mjs';

const HOST = 'https://host.example.com';

let publisher: Publisher;
let host: Host;
let browser: Browser;
beforeAll(async () => {
  publisher = await newPublisher(addresses, [HOST]);
  const { stdout: script } = await promisify(execFile)(process.execPath, [inRoot('e2e', 'embed', 'react-host.mjs')], {
    maxBuffer: 16 * 1024 * 1024,
  });
  host = await startHost({
    embedUrl: addresses.embedApiUrl,
    credentials: publisher.credentials,
    user: { sub: 'user-1', email: `user-1-${publisher.tenantId}@host.test`, name: 'Host User' },
    script,
  });
  browser = await startBrowser({ 'host.example.com': host.port });
});
afterAll(async () => {
  await browser?.close();
  await host?.stop();
});

let page: Page;
let crm: FrameLocator;
beforeEach(async () => {
  host.reasons.length = 0;
  page = await browser.newPage({ viewport: { width: 1000, height: 720 }, locale: 'en-GB' });
  crm = page.frameLocator('iframe');
  await page.goto(`${HOST}/react`);
});
afterEach(() => page.close());

interface Event {
  readonly type: string;
  readonly code?: string;
  readonly seen?: string;
}
const events = (): Promise<Event[]> => page.evaluate('window.events');
const show = (props: object = {}): Promise<void> => {
  const all = { clientId: publisher.credentials.clientId, embedUrl: addresses.embedApiUrl, ...props };
  return page.evaluate(`window.show(${JSON.stringify(all)})`);
};
const inFrame = <Result>(script: string): Promise<Result> => {
  const frame = page.frames().find((one) => one.url().startsWith(addresses.embedApiUrl));
  if (!frame) throw new Error('The embed page is not framed');
  return frame.evaluate(script);
};

describe('the component CrmEmbed in strict mode', () => {
  it('makes one frame, although its effects run twice, and asks for no token that nobody uses', async () => {
    await show({ className: 'crm', style: { minHeight: 400 } });
    await crm.getByText('Ada Lovelace').waitFor();
    expect(await page.locator('iframe').count()).toBe(1);
    expect(await page.locator('.crm > iframe').count()).toBe(1);
    expect(await page.evaluate(`document.querySelector('.crm').style.minHeight`)).toBe('400px');
    const seen = (await events()).map(({ type }) => type);
    expect(seen.filter((type) => type === 'ready')).toHaveLength(1);
    expect(seen.filter((type) => type === 'token')).toHaveLength(1);
    // Strict mode removed a frame immediately: its request was ended.
    expect(await page.evaluate('window.aborted')).toBe(1);
    expect((await events()).map(({ code }) => code).filter(Boolean)).toEqual([]);
  });

  it('passes a new view, theme and locale on without loading the page again', async () => {
    await show({ view: { object: 'leads' } });
    await crm.getByText('Ada Lovelace').waitFor();
    await inFrame('window.mark = 1');
    await show({ view: { object: 'contacts' }, theme: { colors: { background: '#102030' } }, locale: 'de' });
    await crm.getByText('Mary Somerville').waitFor();
    await crm.getByRole('button', { name: 'Kontakte' }).waitFor();
    expect(await inFrame('getComputedStyle(document.documentElement).backgroundColor')).toBe('rgb(16, 32, 48)');
    expect(await inFrame('window.mark')).toBe(1);
    // Equal content in new objects is no change: where the user has gone meanwhile stays.
    await crm.getByRole('button', { name: 'Firmen' }).click();
    await crm.getByText('Analytical Engines').first().waitFor();
    await show({ view: { object: 'contacts' }, theme: { colors: { background: '#102030' } }, locale: 'de' });
    await page.waitForTimeout(300);
    expect(await crm.getByText('Mary Somerville').count()).toBe(0);
    // The latest function hears of it, not that of the first rendering.
    expect((await events()).filter(({ type }) => type === 'navigate').at(-1)).toMatchObject({ seen: 'de' });
  });

  it('loads the page again for another title, and has one frame all the time', async () => {
    await show({ title: 'One' });
    await crm.getByText('Ada Lovelace').waitFor();
    await inFrame('window.mark = 1');
    await show({ title: 'Two' });
    await page.locator('iframe[title="Two"]').waitFor();
    await crm.getByText('Ada Lovelace').waitFor();
    expect(await page.locator('iframe').count()).toBe(1);
    expect(await inFrame('window.mark')).toBeUndefined();
  });

  it('takes its frame with it, and listens to nobody afterwards', async () => {
    await show();
    await crm.getByText('Ada Lovelace').waitFor();
    await page.evaluate('window.hide()');
    expect(await page.locator('iframe').count()).toBe(0);
    const { length } = await events();
    expect((await events()).at(-1)?.type).toBe('destroyed');
    await page.evaluate(`window.postMessage({ protocol: 'crm-embed', version: 1, type: 'ready' }, '*')`);
    await page.waitForTimeout(100);
    expect(await events()).toHaveLength(length);
    await show();
    await crm.getByText('Ada Lovelace').waitFor();
    expect(await page.locator('iframe').count()).toBe(1);
  });
});
