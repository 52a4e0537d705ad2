import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page, Route } from 'playwright-core';
import { eventually } from '../../scripts/demo/client.mjs';
import { Visit } from '../account/visit.js';
import { startBrowser } from '../embed/browser.mjs';
import { type Account, api, newWorkspace, PASSWORD, signIn } from '../platform/accounts.js';
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

const record = async (method: string, path: string, body?: object) =>
  (await api(method, `/api/crm/${path}`, { token: owner.token, body })).body;
const press = (name: string, within: Pick<Page, 'getByRole'> = page) =>
  within.getByRole('button', { name, exact: true }).click();

it('a record that someone else has changed is shown as it is now when its deletion is refused, and deleted then', async () => {
  const { id } = await record('POST', 'leads', { lastName: 'Noether' });
  await page.goto(`${addresses.baseUrl}/records/lead/${id}`);
  await page.getByRole('heading', { level: 1, name: 'Noether' }).waitFor();
  await record('PATCH', `leads/${id}`, { lastName: 'Franklin' });
  await press('Delete');
  await press('Delete', page.getByRole('dialog', { name: 'Delete Noether?' }));
  await press('Delete', page.getByRole('dialog', { name: 'Delete Franklin?' }));
  await page.getByText('Franklin was deleted').waitFor();
  expect((await record('GET', `leads/${id}`)).code).toBe('NOT_FOUND');
});

it('what is typed while something else is being saved stays, and so does the focus', async () => {
  const { id } = await record('POST', 'leads', { lastName: 'Noether', companyName: 'Looms' });
  await page.goto(`${addresses.baseUrl}/records/lead/${id}`);
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  /** The next call of the method waits for the answer. */
  const hold = async (method: string, path: string, answer: (route: Route) => Promise<void>) => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    await page.route(`**/api/crm/leads/${id}${path}`, async (route) => {
      // The page also reads the record, whenever it likes.
      if (isHeld || route.request().method() !== method) return route.fallback();
      isHeld = true;
      await released;
      return answer(route);
    });
    return () => release();
  };
  const edit = async (name: string, text: string): Promise<void> => {
    await press(`Edit ${name}`);
    await field(name).fill(text);
  };

  await edit('First name', 'Emmy');
  const release = await hold('PATCH', '', (route) => route.continue());
  await page.keyboard.press('Enter');
  await edit('Phone', '+49 30 1');
  release();
  await page.getByRole('heading', { level: 1, name: 'Emmy Noether' }).waitFor();
  await page.getByRole('button', { name: 'Edit First name' }).waitFor();
  await page.keyboard.type('234567');
  expect(await field('Phone').inputValue()).toBe('+49 30 1234567');

  await edit('Company', 'Engines');
  const refuse = await hold('PATCH', '', (route) => route.fulfill({ status: 503, json: { status: 503 } }));
  await page.keyboard.press('Enter');
  await field('Phone').focus();
  refuse();
  await page.getByText('Not available').waitFor();
  await page.keyboard.type('8');
  expect([await field('Phone').inputValue(), await field('Company').inputValue()]).toEqual([
    ...['+49 30 12345678', 'Engines'],
  ]);

  await field('Note').fill('Call back');
  const send = await hold('POST', '/notes', (route) => route.continue());
  await press('Add');
  await field('Note').fill('Call back on Monday');
  send();
  await page.locator('.timeline-note').getByText('Call back', { exact: true }).waitFor();
  expect(await field('Note').inputValue()).toBe('Call back on Monday');
  // Editors and what is refused stand where nothing was.
  await visit.forgiveShifts();
});

it('what is typed beside a record stays: a note, and a record that belongs to it', async () => {
  const { id } = await record('POST', 'companies', { name: 'Looms' });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const leaveAndReturn = async () => {
    await page.locator('main').getByRole('link', { name: 'Companies' }).first().click();
    await heading('Companies');
    await page.goBack();
    await heading('Looms');
  };
  await page.goto(`${addresses.baseUrl}/records/company/${id}`);
  await heading('Looms');
  const note = page.getByRole('textbox', { name: 'Note', exact: true });
  await note.fill('Call back on Monday');
  await leaveAndReturn();
  expect(await note.inputValue()).toBe('Call back on Monday');
  await press('Add');
  await page.locator('.timeline-note').getByText('Call back on Monday').waitFor();
  await leaveAndReturn();
  expect(await note.inputValue()).toBe('');

  await press('New Task', page.getByRole('region', { name: 'Tasks' }));
  const form = page.getByRole('dialog', { name: 'New Task' });
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  await form.getByLabel('Title').fill('Send an offer');
  for (const close of [() => page.keyboard.press('Escape'), () => press('Cancel', form), () => press('Close', form)]) {
    await close();
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Title').inputValue()).toBe('Send an offer');
  }
  await press('Cancel', form);
  await press('Discard', question);
  await form.waitFor({ state: 'detached' });
  // What a record has below its fields comes when it is returned to.
  await visit.forgiveShifts();
});

it('what is typed outlives its session: the one who had it signs in above it, and saves it', async () => {
  const { id } = await record('POST', 'leads', { lastName: 'Noether' });
  await page.goto(`${addresses.baseUrl}/records/lead/${id}`);
  const note = page.getByRole('textbox', { name: 'Note', exact: true });
  await note.fill('Call back on Monday');
  await press('Edit Phone');
  const phone = page.getByRole('textbox', { name: 'Phone', exact: true });
  await phone.fill('+49 30 1234567');
  const title = await page.title();
  await api('DELETE', '/api/auth/sessions', { token: owner.token, expect: 204 });
  await page.keyboard.press('Enter');
  const again = page.getByRole('dialog');
  await again.getByText('What you have typed is still there.').waitFor();
  await page.keyboard.press('Escape');
  await again.getByLabel('E-mail address').fill(owner.email);
  await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await press('Sign in', again);
  await again.waitFor({ state: 'detached' });
  expect(await note.inputValue()).toBe('Call back on Monday');
  expect(await phone.inputValue()).toBe('+49 30 1234567');
  expect(await page.title()).toBe(title);
  await phone.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Edit Phone' }).waitFor();
  owner = { ...owner, token: await signIn(owner.email) };
  // It is shown as saved before it is.
  const saved = async () => (await record('GET', `leads/${id}`)).phone;
  expect(await eventually(saved, 'the number is saved')).toBe('+49 30 1234567');
  await visit.forgiveShifts();
});
