import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Visit } from '../account/visit.js';
import { accessibilityProblems } from '../embed/accessibility.mjs';
import { startBrowser } from '../embed/browser.mjs';
import { type Account, newWorkspace } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';

let browser: Browser;
let owner: Account;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  [browser, owner] = await Promise.all([startBrowser({}), newWorkspace()]);
});
afterAll(() => browser?.close());
beforeEach(async () => {
  visit = await Visit.begin(browser, { width: 1280 });
  ({ page } = visit);
  await visit.signIn(owner);
});
afterEach(() => visit.end());
const press = (name: string, within: Pick<Page, 'getByRole'> = page) =>
  within.getByRole('button', { name, exact: true }).click();

it('a record that is not saved is not left without a question', async () => {
  // An empty list has a second one.
  const create = page.getByRole('button', { name: 'New Lead', exact: true }).first();
  await page.goto(`${addresses.baseUrl}/records/lead`);
  await create.click();
  const form = page.getByRole('dialog', { name: 'New Lead' });
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  await form.getByLabel('Last name').fill('Lovelace');
  await page.mouse.click(10, 400);
  for (const leave of [() => page.keyboard.press('Escape'), () => press('Cancel', form), () => page.goBack()]) {
    await leave();
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Last name').inputValue()).toBe('Lovelace');
  }
  await press('Cancel', form);
  await question.waitFor();
  expect(await accessibilityProblems(page.mainFrame())).toEqual([]);
  await press('Discard', question);
  await form.waitFor({ state: 'detached' });

  await create.click();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await create.click();
  await form.getByLabel('Last name').fill('Hopper');
  await press('Save', form);
  await page.getByRole('heading', { level: 1, name: 'Hopper' }).waitFor();
});
