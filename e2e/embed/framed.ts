import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { addresses } from '../platform/addresses.js';
import { startBrowser } from './browser.mjs';
import { type Host, type HostSettings, startHost } from './host.mjs';
import { newPublisher, type Publisher } from './publisher.mjs';

export const HOST = 'https://host.example.com';
/** Serves the same pages, but is not among the allowed origins. */
export const OTHER = 'https://other.example.com';

export let publisher: Publisher;
export let host: Host;
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

export let context: BrowserContext;
export let page: Page;
export let crm: FrameLocator;
beforeEach(async () => {
  host.set({ scopes: undefined, alter: undefined, headers: undefined, ...settings });
  host.reasons.length = 0;
  await context?.close();
  context = await browser.newContext({ viewport: { width: 1000, height: 720 }, locale: 'en-GB' });
  page = await context.newPage();
  crm = page.frameLocator('iframe');
});

export const events = (): Promise<{ type: string; code?: string; view?: object }[]> => page.evaluate('window.events');
export const open = async (): Promise<void> => {
  await page.goto(HOST);
  await crm.getByText('Ada Lovelace').waitFor();
};
export const inFrame = <Result>(script: string): Promise<Result> => {
  const frame = page.frames().find((one) => one.url().startsWith(addresses.embedApiUrl));
  if (!frame) throw new Error('The embed page is not framed');
  return frame.evaluate(script);
};
export const goTo = (name: string) => crm.getByRole('navigation').getByRole('button', { name }).click();
