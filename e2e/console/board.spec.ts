import { expect, it } from '@jest/globals';
import { eventually } from '../../scripts/demo/client.mjs';
import { admin, goTo, member, page, record, visit } from './visiting.js';

const dealNamed = async (name: string) => (await record('GET', `opportunities?q=${encodeURIComponent(name)}`)).data[0];

const column = (name: string) => page.getByRole('region', { name, exact: true });
const card = (name: string) => page.locator('.stage li', { hasText: name });

it('deals are moved by drag and by menu, and one that is moved to won is won', async () => {
  const created = await record('POST', 'automations/workflows', {
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
  await eventually(async () => (await record('GET', 'tasks?q=Celebrate')).total === 1, 'the task for the won deal');
  expect(await dealNamed('Spare cogs')).toMatchObject({ stage: 'won', status: 'won' });
});

it('an option is renamed, and one in use cannot be removed but retired', async () => {
  await visit.signIn(admin);
  await goTo('/', 'My day');
  await page.getByRole('button', { name: 'admin', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Pipelines and picklists' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pipelines and picklists' }).waitFor();
  const status = page.getByRole('region', { name: 'Lead: Status' });
  const save = () => status.getByRole('button', { name: 'Save' }).click();
  await record('POST', 'leads', { lastName: 'Kovalevskaya', status: 'contacted' });
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
  expect((await record('GET', 'leads?filterField=status&filterValue=contacted')).data.length).toBeGreaterThan(0);
});
