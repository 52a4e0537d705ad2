import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page, Response } from 'playwright-core';
import { Visit } from '../account/visit.js';
import { accessibilityProblems } from '../embed/accessibility.mjs';
import { startBrowser } from '../embed/browser.mjs';
import { newPublisher, type Publisher } from '../embed/publisher.mjs';
import { type Account, api, newUser } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';

let browser: Browser;
let publisher: Publisher;
let admin: Account;
let member: Account;
let visit: Visit;
let page: Page;

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

const record = async (method: string, path: string, body?: object, { token } = publisher) =>
  (await api(method, `/api/crm/${path}`, { token, body })).body;
const press = (name: string, within: Pick<Page, 'getByRole'> = page) =>
  within.getByRole('button', { name, exact: true }).click();
const section = (name: string) => page.getByRole('region', { name, exact: true });
const entry = (text: string) => section('Timeline').getByRole('listitem').filter({ hasText: text });

async function open(path: string, heading: string, { email }: Account): Promise<void> {
  await visit.signIn({ email });
  await page.goto(`${addresses.baseUrl}/records/${path}`);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

it('a record shows what happened to it: notes that are written there, changes and tasks', async () => {
  const { id } = await record('POST', 'leads', { lastName: 'Lovelace', status: 'new' });
  await open(`lead/${id}`, 'Lovelace', admin);
  await entry('Created').waitFor();
  await section('Timeline').getByText('Call', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('Wants **50 seats** <img src=x> [us](javascript:alert(1))');
  await press('Add');
  const note = entry('Wants');
  await note.getByText('50 seats').waitFor();
  expect(await note.locator('strong').allTextContents()).toContain('50 seats');
  expect(await note.locator('img').count()).toBe(0);
  await note.getByText('<img src=x> [us](javascript:alert(1))').waitFor();
  expect(await note.getByRole('link').count()).toBe(0);
  expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('');

  await press('Edit Status');
  await page.getByRole('region', { name: 'Details' }).getByRole('combobox').selectOption('Qualified');
  await press('Save', page.getByRole('region', { name: 'Details' }));
  await entry('Status')
    .filter({ hasText: /new\s+to\s+qualified/i })
    .waitFor();

  await press('New Task', section('Tasks'));
  const form = page.getByRole('dialog', { name: 'New Task' });
  // What it relates to is filled in.
  expect(await form.getByRole('combobox', { name: 'Kind of record' }).inputValue()).toBe('leads');
  await form.getByRole('textbox', { name: 'Title' }).fill('Send an offer');
  await press('Save', form);
  await section('Tasks').getByRole('link', { name: 'Send an offer' }).waitFor();
  await entry('Send an offer').waitFor();
  const [task] = (await record('GET', 'tasks?q=Send an offer')).data;
  expect(task).toMatchObject({ relatedTo: id });

  await section('Timeline').getByText('Notes', { exact: true }).click();
  await entry('Created').waitFor({ state: 'detached' });
  await press('Edit note', note);
  await note.getByRole('textbox').fill('Wants 60 seats');
  await press('Save', note);
  await note.getByText('Wants 60 seats').waitFor();
  await note.getByText('· Changed ·').waitFor();
  await press('Delete note', note);
  await press('Delete note', page.getByRole('dialog', { name: 'Delete this note?' }));
  await section('Timeline').getByText('Nothing here yet').waitFor();
});

it('a record has lists of what refers to it, and a task leads to what it is about', async () => {
  const company = await record('POST', 'companies', { name: 'Difference Works', industry: 'Engineering' });
  await record('POST', 'contacts', { lastName: 'Babbage', companyId: company.id });
  await record('POST', 'opportunities', { name: 'Fifty seats', companyId: company.id });
  const task = await record('POST', 'tasks', { title: 'Visit them' });
  await open(`task/${task.id}`, 'Visit them', admin);
  await press('Edit Related to');
  await page.getByRole('combobox', { name: 'Kind of record' }).selectOption('Company');
  await page.getByRole('combobox', { name: 'Company' }).fill('Differ');
  await page.getByRole('option', { name: 'Difference Works' }).click();
  await press('Save');
  await page.getByRole('link', { name: 'Difference Works' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Difference Works' }).waitFor();
  for (const [list, name] of [
    ['Contacts (1)', 'Babbage'],
    ['Deals (1)', 'Fifty seats'],
    ['Tasks (1)', 'Visit them'],
  ] as const) {
    await page.getByRole('heading', { name: list }).waitFor();
    await page.getByRole('link', { name, exact: true }).first().waitFor();
  }
  await record('POST', `companies/${company.id}/notes`, {
    text: '# Met\n\n- one\n- two\n\n[site](https://example.com)',
  });
  await page.reload();
  await entry('Met').getByRole('link', { name: 'site' }).waitFor();
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 760 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([width, colorScheme, await accessibilityProblems(page.mainFrame())]).toEqual([width, colorScheme, []]);
      if (process.env.TIMELINE_PICTURES) {
        await page.screenshot({ path: `${process.env.TIMELINE_PICTURES}/${width}-${colorScheme}.png` });
      }
    }
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  }
});

it('a member sees no change of a field that is kept from members, in the page or behind it', async () => {
  const path = `custom/${publisher.objectName}/records`;
  const [first] = (await record('GET', `${path}?q=Roof`)).data;
  await record('PATCH', `${path}/${first.id}`, { hourly_rate: 4321 });
  await record('PATCH', `${path}/${first.id}`, { hourly_rate: 4322, hours: 77 });
  const answers: Promise<string>[] = [];
  page.on('response', (response: Response): void => {
    if (response.url().includes('/api/crm/') && response.status() === 200) answers.push(response.text());
  });
  await open(`${publisher.objectName}/${first.id}`, first.title, member);
  await entry('77').waitFor();
  await entry('Created').waitFor();
  const seen = [await page.content(), ...(await Promise.all(answers))].join('\n');
  expect(await entry('Changed').count()).toBe(1);
  expect(seen).toContain('"kind":"change"');
  expect(seen).not.toMatch(/hourly.?rate|432[12]/i);
});
