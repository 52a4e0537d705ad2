import { expect, it } from '@jest/globals';
import { admin, goTo, member, page, record, visit } from './visiting.js';

const column = (name: string) => page.getByRole('region', { name, exact: true });
const card = (name: string) => page.locator('.stage li', { hasText: name });

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

it('a second pipeline has a board of its own, which the address names', async () => {
  await visit.signIn(admin);
  await goTo('/settings/picklists', 'Pipelines and picklists');
  await page.getByRole('button', { name: 'Add a pipeline' }).click();
  const added = page.getByRole('region', { name: 'Pipeline: New pipeline' });
  await added.getByLabel('Name').fill('Resellers');
  await added.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Resellers is saved.').waitFor();
  await record('POST', 'opportunities', { name: 'Abacus', stage: 'first-contact' });
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
  const { succeeded } = await record('POST', 'opportunities/bulk', {
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
