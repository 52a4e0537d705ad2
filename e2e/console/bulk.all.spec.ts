import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../scripts/demo/client.mjs';
import { api } from '../platform/accounts.js';
import { admin, goTo, page, press, publisher, visit } from './visiting.js';

/** Leads of a list of which some are chosen: more than the API answers at a time. */
const CHOSEN = 230;

beforeEach(() => visit.signIn(admin));

const leads = async (query: string) =>
  (await api('GET', `/api/crm/leads?size=200&${query}`, { token: publisher.token })).body as {
    total: number;
    data: { id: string; lastName: string; ownerId: string | null; source: string | null }[];
  };

describe('a CSV file', () => {
  it('with an open quotation mark is refused, and an import that is under way is not left without a question', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/crm/leads/bulk', async (route) => {
      await released;
      await route.continue();
    });
    const choose = (text: string) =>
      page
        .getByLabel('Drop a CSV file here, or choose one')
        .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await goTo('/records/lead/import', 'Import Leads');
    await choose('Last name,City\n"Open,Berlin\nNext,Paris\n');
    await page.getByText('Row 2: a quotation mark is not closed').waitFor();
    await choose('Last name\nUnder way\n');
    await press('Import 1 record');
    await page.getByRole('link', { name: 'Leads' }).last().click();
    const question = page.getByRole('dialog', { name: 'Cancel the import?' });
    await question.waitFor();
    if (process.env.BULK_PICTURES) await page.screenshot({ path: `${process.env.BULK_PICTURES}/leave.png` });
    await press('Cancel', question);
    await question.waitFor({ state: 'detached' });
    release();
    await page.getByText('1 record imported').waitFor();
  });
});

describe('rows of a list', () => {
  let name: string;
  beforeEach(async () => {
    name = `source${randomUUID().slice(0, 8)}`;
    const records = Array.from({ length: CHOSEN }, (_, index) => ({ lastName: `Chosen ${index}`, jobTitle: name }));
    for (const some of [records.slice(0, 200), records.slice(200)]) {
      const body = { operation: 'create', atomic: true, records: some };
      await api('POST', '/api/crm/leads/bulk', { token: publisher.token, body, expect: 200 });
    }
  });
  const bar = () => page.getByRole('region', { name: 'Selected records' });
  const select = async () => {
    await goTo(`/records/lead?q=${name}&sort=createdAt`, 'Leads');
    await press('Select');
    await bar().waitFor();
  };

  it('are all selected, beyond those that are loaded, and a field of all is changed; what is refused is named', async () => {
    await select();
    await press('Select all 230', bar());
    await bar().getByText('230 records selected').waitFor();
    const [gone] = (await leads(`q=${name}&sort=-createdAt`)).data;
    await api('DELETE', `/api/crm/leads/${gone?.id}`, { token: publisher.token });
    await press('Edit a field', bar());
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Field', { exact: true }).selectOption({ label: 'Company' });
    // No value empties the field only where that is asked for.
    const change = dialog.getByRole('button', { name: 'Change 230 records' });
    expect(await change.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Empty the field' }).check();
    expect(await change.isDisabled()).toBe(false);
    await dialog.getByLabel('New value').fill('All of them');
    await press('Change 230 records', dialog);
    await page.getByText('229 records changed').waitFor();
    await page.getByRole('alert').filter({ hasText: '1 record not written' }).getByText('Chosen 229').waitFor();
    await page.getByText('229 records changed').waitFor({ state: 'detached' });
    // Two notices move each other up and down.
    await visit.forgiveShifts();
    await visit.checkAccessible('refused');
    const changed = async () => (await leads('filterField=companyName&filterValue=All%20of%20them')).total === 229;
    await eventually(changed, 'the change of all');
  });
});
