import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Visit } from '../account/visit.js';
import { startBrowser } from '../embed/browser.mjs';
import { newPublisher, type Publisher } from '../embed/publisher.mjs';
import { type Account, api, newUser } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';

// A browser and a workspace with records for the tests of the file that imports it, and for each of them a visit.
let browser: Browser;
export let publisher: Publisher;
export let admin: Account;
export let member: Account;
export let visit: Visit;
export let page: Page;

beforeAll(async () => {
  [browser, publisher] = await Promise.all([startBrowser({}), newPublisher(addresses, ['https://host.example.com'])]);
  const owner = { ...publisher, email: '', userId: '' };
  [admin, member] = await Promise.all([newUser(owner, 'admin'), newUser(owner, 'member')]);
});
afterAll(() => browser?.close());
beforeEach(async () => {
  visit = await Visit.begin(browser, { width: 1280 });
  ({ page } = visit);
});
afterEach(() => visit.end());

export const record = async (method: string, path: string, body?: object) =>
  (await api(method, `/api/crm/${path}`, { token: publisher.token, body })).body;
export const goTo = async (path: string, heading: string, on = page): Promise<void> => {
  await on.goto(addresses.baseUrl + path);
  await on.getByRole('heading', { level: 1, name: heading }).waitFor();
};
export const press = (name: string | RegExp, within: Pick<Page, 'getByRole'> = page) =>
  within.getByRole('button', { name, exact: true }).click();
