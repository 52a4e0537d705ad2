import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Visit } from '../account/visit.js';
import { startBrowser } from '../embed/browser.mjs';
import { type Account, api, newUser, newWorkspace } from '../platform/accounts.js';
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
const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

it('converts a lead into a contact, a company and an opportunity, and shows what it has become', async () => {
  const lead = await record('POST', 'leads', {
    ...{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', companyName: 'Analytical Engines' },
  });
  await page.goto(`${addresses.baseUrl}/records/lead/${lead.id}`);
  await heading('Ada Lovelace');
  expect(await page.getByText('Converted to').count()).toBe(0);
  await press('Convert');
  const form = page.getByRole('dialog', { name: 'Convert Ada Lovelace' });
  await form.getByLabel('Amount').fill('much');
  await form.getByText('This is not a number.').waitFor();
  await form.getByLabel('Amount').fill('42000');
  await visit.checkAccessible('convert');
  await press('Convert', form);
  await page.getByText('Ada Lovelace was converted').waitFor();
  await heading('Analytical Engines');
  expect(new URL(page.url()).pathname).toMatch(/^\/records\/opportunity\//);
  await page.getByRole('region', { name: 'Linked records' }).getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  const [deal] = (await record('GET', 'opportunities')).data;
  expect(deal).toMatchObject({ name: 'Analytical Engines', amount: 42000 });

  await page.goto(`${addresses.baseUrl}/records/lead/${lead.id}`);
  // The timeline says it too.
  await page.getByRole('region', { name: 'Linked records' }).getByText('Converted to deal').waitFor();
  await page.getByRole('button', { name: 'Merge', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Convert', exact: true }).count()).toBe(0);
});

it('says what may be there already before it creates a record, and creates it anyway', async () => {
  const contact = await record('POST', 'contacts', { firstName: 'Mary', lastName: 'Somerville', phone: '030 901820' });
  await page.goto(`${addresses.baseUrl}/records/lead?new=true`);
  const form = page.getByRole('dialog', { name: 'New Lead' });
  await form.getByLabel('Last name').fill('Summers');
  // The same number, with the prefix of its country.
  await form.getByLabel('Phone').fill('+49 30 901820');
  await record('PATCH', `contacts/${contact.id}`, { phone: '+49 (30) 901820' });
  await press('Save', form);
  const notice = form.getByRole('status').filter({ hasText: 'This may be there already' });
  await notice.getByRole('link', { name: 'Mary Somerville' }).waitFor();
  await visit.checkAccessible('duplicates');
  expect((await record('GET', 'leads?filterField=lastName&filterValue=Summers')).total).toBe(0);
  await press('Create anyway', form);
  await heading('Summers');

  await page.goto(`${addresses.baseUrl}/records/lead?new=true`);
  await form.getByLabel('Last name').fill('Nobody else');
  await press('Save', form);
  await heading('Nobody else');
});

it('merges two contacts: what differs is chosen side by side', async () => {
  const winner = await record('POST', 'contacts', {
    firstName: 'Charles',
    lastName: 'Babbage',
    email: 'c@example.com',
  });
  const loser = await record('POST', 'contacts', {
    ...{ firstName: 'Charles', lastName: 'Babbidge', email: 'charles@example.com', phone: '+49 30 555666' },
  });
  const task = await record('POST', 'tasks', { title: 'Call back', relatedTo: loser.id });
  await page.goto(`${addresses.baseUrl}/records/contact/${winner.id}`);
  await heading('Charles Babbage');
  await press('Merge');
  const form = page.getByRole('dialog', { name: 'Merge with Charles Babbage' });
  await form.getByRole('combobox', { name: 'Other Contact' }).fill('Babbidge');
  await form.getByRole('option', { name: 'Charles Babbidge' }).click();
  const mail = form.getByRole('group', { name: 'Email' });
  await mail.getByRole('radio', { name: 'charles@example.com' }).check();
  expect(await form.getByRole('group', { name: 'Last name' }).getByRole('radio', { name: 'Babbage' }).isChecked()).toBe(
    true,
  );
  expect(
    await form.getByRole('group', { name: 'Phone' }).getByRole('radio', { name: '+49 30 555666' }).isChecked(),
  ).toBe(true);
  expect(await form.getByRole('group', { name: 'First name' }).count()).toBe(0);
  await visit.checkAccessible('merge');
  await press('Merge', form);
  await page.getByText('The records were merged').waitFor();
  await page.getByRole('region', { name: 'Details' }).getByText('charles@example.com').waitFor();
  expect(await record('GET', `contacts/${winner.id}`)).toMatchObject({
    ...{ lastName: 'Babbage', email: 'charles@example.com', phone: '+49 30 555666', version: 2 },
  });
  expect([
    (await record('GET', `tasks/${task.id}`)).relatedTo,
    (await record('GET', `contacts/${loser.id}`)).code,
  ]).toEqual([winner.id, 'NOT_FOUND']);
});

it('offers to reassign what belongs to someone who is disabled', async () => {
  const [leaver, successor] = await Promise.all([newUser(owner, 'member'), newUser(owner, 'member')]);
  const name = 'Leaver';
  await api('PATCH', `/api/tenant/users/${leaver.userId}`, { token: owner.token, body: { name } });
  await api('PATCH', `/api/tenant/users/${successor.userId}`, { token: owner.token, body: { name: 'Successor' } });
  const company = await record('POST', 'companies', { name: 'Looms', ownerId: leaver.userId });
  const [open, done] = await Promise.all(
    ['open', 'completed'].map((status) =>
      record('POST', 'tasks', { title: status, status, assigneeId: leaver.userId }),
    ),
  );
  await page.goto(`${addresses.baseUrl}/settings/people`);
  await heading('People');
  await page.getByText(leaver.email).waitFor();
  await visit.checkAccessible('people');
  await press(`Disable: ${name}`);
  const form = page.getByRole('dialog', { name: `Disable ${name}?` });
  await form.getByText('Companies (Owner): 1').waitFor();
  await form.getByText('Tasks (Assignee): 1').waitFor();
  await form.getByRole('combobox', { name: 'Give it to' }).fill('Succ');
  await form.getByRole('option', { name: 'Successor' }).click();
  await visit.checkAccessible('disable');
  await press('Disable and reassign', form);
  await page.getByText('2 records are reassigned').waitFor();
  expect(await record('GET', `companies/${company.id}`)).toMatchObject({ ownerId: successor.userId });
  expect(await record('GET', `tasks/${open.id}`)).toMatchObject({ assigneeId: successor.userId });
  expect(await record('GET', `tasks/${done.id}`)).toMatchObject({ assigneeId: leaver.userId });
  await press(`Enable: ${name}`);
  await page.getByText(`${name} is enabled`).waitFor();
});
