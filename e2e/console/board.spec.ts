import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../scripts/demo/client.mjs';
import { Visit } from '../account/visit.js';
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

const call = async (method: string, path: string, body?: object) =>
  (await api(method, `/api/crm/${path}`, { token: publisher.token, body })).body;
const dealNamed = async (name: string) => (await call('GET', `opportunities?q=${encodeURIComponent(name)}`)).data[0];

const goTo = async (path: string, heading: string): Promise<void> => {
  await page.goto(addresses.baseUrl + path);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
};
const column = (name: string) => page.getByRole('region', { name, exact: true });
const card = (name: string) => page.locator('.stage li', { hasText: name });

it('deals are moved by drag and by menu, and one that is moved to won is won', async () => {
  const created = await call('POST', 'automations/workflows', {
    name: 'Celebrate',
    trigger: { type: 'event', event: 'deal.won' },
    actions: [{ type: 'create_record', object: 'task', values: { title: 'Celebrate {{record.name}}' } }],
  });
  expect(created.id).toBeDefined();
  await visit.signIn(member);
  await goTo('/records/opportunity', 'Deals');
  await page.getByRole('button', { name: 'Pipeline', exact: true }).click();
  await column('Qualification').getByText('Spare cogs').waitFor();
  await column('Qualification').getByText('€1,840').waitFor();
  expect(await page.locator('.stage h2').allTextContents()).toEqual([
    ...['Qualification 2', 'Discovery 0', 'Proposal 1', 'Negotiation 1'],
  ]);

  await card('Spare cogs').dragTo(column('Discovery'));
  await column('Discovery').getByText('Spare cogs').waitFor();
  await page.getByText('Spare cogs is now in Discovery').waitFor({ state: 'attached' });
  await column('Discovery').getByRole('heading', { name: 'Discovery 1' }).waitFor();
  expect(await dealNamed('Spare cogs')).toMatchObject({ stage: 'discovery', status: 'open' });

  await page.getByLabel('Move Spare cogs to').selectOption('Negotiation');
  await column('Negotiation').getByText('Spare cogs').waitFor();
  // The page shows it before it is saved.
  await eventually(async () => (await dealNamed('Spare cogs')).stage === 'negotiation', 'the move to be saved');
  await page.reload();
  await column('Negotiation').getByText('Spare cogs').waitFor();
  await visit.checkAccessible('board');

  await card('Spare cogs').dragTo(column('Won'));
  await card('Spare cogs').waitFor({ state: 'detached' });
  await eventually(async () => (await call('GET', 'tasks?q=Celebrate')).total === 1, 'the task for the won deal');
  expect(await dealNamed('Spare cogs')).toMatchObject({ stage: 'won', status: 'won' });
});

it('a move that is refused is taken back, and says why', async () => {
  await visit.signIn(member);
  await page.route('**/api/crm/opportunities/*', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 403,
          contentType: 'application/problem+json',
          body: '{"status":403,"code":"FORBIDDEN"}',
        })
      : route.continue(),
  );
  await goTo('/records/opportunity?board=1', 'Deals');
  await page.getByLabel('Move Difference engine to').selectOption('Negotiation');
  await page.getByRole('alert').waitFor();
  await column('Proposal').getByText('Difference engine').waitFor();
});

it('the board counts its own cards while the deals cannot be counted, if it has all of them', async () => {
  await visit.signIn(member);
  const answer = { status: 422, contentType: 'application/problem+json', body: '{"code":"QUERY_TOO_EXPENSIVE"}' };
  await page.route('**/api/crm/opportunities/aggregate?*', (route) => route.fulfill(answer));
  await goTo('/records/opportunity?board=1', 'Deals');
  await page.getByRole('alert').getByText('The deals of this pipeline cannot be counted now.').waitFor();
  const cards = await column('Proposal').getByRole('listitem').count();
  expect(cards).toBeGreaterThan(0);
  await column('Proposal')
    .getByRole('heading', { name: `Proposal ${cards}` })
    .waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
});

it('an option is renamed, and one in use cannot be removed but retired', async () => {
  await visit.signIn(admin);
  await goTo('/', 'My day');
  await page.getByRole('button', { name: 'admin', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Pipelines and picklists' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pipelines and picklists' }).waitFor();
  const status = page.getByRole('region', { name: 'Lead: Status' });
  const save = () => status.getByRole('button', { name: 'Save' }).click();
  await call('POST', 'leads', { lastName: 'Kovalevskaya', status: 'contacted' });
  await status.getByLabel('Option').nth(1).fill('Called');
  await save();
  await page.getByText('Lead: Status is saved.').waitFor();
  await status.getByRole('button', { name: 'Remove: Called' }).click();
  await save();
  await status.getByRole('alert').getByText('Called: in use').waitFor();
  await visit.checkAccessible('picklists');
  await page.reload();
  await status.getByRole('button', { name: 'Retire: Called' }).click();
  await save();
  await status.getByText('retired').waitFor();

  await goTo('/records/lead?q=Kovalevskaya', 'Leads');
  await page.getByRole('cell', { name: 'Called' }).waitFor();
  await goTo('/records/lead?new=true', 'Leads');
  const choice = page.getByRole('dialog').getByLabel('Status');
  await choice.waitFor();
  const offered = await choice.locator('option').allTextContents();
  expect(offered).toContain('New');
  expect(offered).not.toContain('Called');
  expect((await call('GET', 'leads?filterField=status&filterValue=contacted')).data.length).toBeGreaterThan(0);
});

it('a second pipeline has a board of its own, which the address names', async () => {
  await visit.signIn(admin);
  await goTo('/settings/picklists', 'Pipelines and picklists');
  await page.getByRole('button', { name: 'Add a pipeline' }).click();
  const added = page.getByRole('region', { name: 'Pipeline: New pipeline' });
  await added.getByLabel('Name').fill('Resellers');
  await added.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Resellers is saved.').waitFor();
  await call('POST', 'opportunities', { name: 'Abacus', stage: 'first-contact' });
  await goTo('/records/opportunity?board=1', 'Deals');
  await column('Proposal').waitFor();
  expect(await card('Abacus').count()).toBe(0);
  await page.getByRole('combobox', { name: 'Pipeline' }).selectOption('Resellers');
  await column('First contact').getByText('Abacus').waitFor();
  await page.reload();
  await column('First contact').getByText('Abacus').waitFor();
  await column('First contact').getByRole('heading', { name: 'First contact 1' }).waitFor();
  expect(await page.locator('.stage h2').count()).toBe(1);

  // More than the board loads.
  const deal = (_: unknown, index: number) => ({
    ...{ name: `Abacus ${index}`, stage: 'first-contact', amount: 0.35, currency: index < 150 ? 'EUR' : 'USD' },
  });
  const { succeeded } = await call('POST', 'opportunities/bulk', {
    operation: 'create',
    records: Array.from({ length: 200 }, deal),
  });
  expect(succeeded).toBe(200);
  await page.reload();
  await column('First contact').getByRole('heading', { name: 'First contact 201' }).waitFor();
  await column('First contact').getByText('€53 · US$18').waitFor();
  await page.getByText('The cards are the newest 200 opportunities').waitFor();
  expect(await page.locator('.stage li').count()).toBe(200);
  await page.getByLabel('Move Abacus 7 to').selectOption('Won');
  await column('First contact').getByRole('heading', { name: 'First contact 200' }).waitFor();
  await column('First contact').getByText('€52 · US$18').waitFor();

  await goTo('/settings/picklists', 'Pipelines and picklists');
  await page.getByRole('region', { name: 'Pipeline: Resellers' }).getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the pipeline Resellers?' });
  await question.getByRole('button', { name: 'Delete the pipeline' }).click();
  await question.getByRole('alert').getByText('Deals are in this pipeline').waitFor();
  expect(await page.getByText('Resellers is saved.').count()).toBe(0);
});
