import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../scripts/demo/client.mjs';
import { Visit } from '../account/visit.js';
import { startBrowser } from '../embed/browser.mjs';
import { newPublisher, type Publisher } from '../embed/publisher.mjs';
import { type Account, api, newUser } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';

/** Rows of the imported file, of which three are wrong. */
const ROWS = 300;
/** Leads of a list of which some are chosen: more than the API answers at a time. */
const CHOSEN = 230;

let browser: Browser;
let publisher: Publisher;
let admin: Account;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  [browser, publisher] = await Promise.all([startBrowser({}), newPublisher(addresses, ['https://host.example.com'])]);
  admin = await newUser({ ...publisher, email: '', userId: '' }, 'admin');
});
afterAll(() => browser?.close());
beforeEach(async () => {
  visit = await Visit.begin(browser, { width: 1280 });
  ({ page } = visit);
  await visit.signIn(admin);
});
afterEach(() => visit.end());

const goTo = async (path: string, heading: string): Promise<void> => {
  await page.goto(addresses.baseUrl + path);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
};
const press = (name: string | RegExp, within: Pick<Page, 'getByRole'> = page) =>
  within.getByRole('button', { name, exact: true }).click();
const leads = async (query: string) =>
  (await api('GET', `/api/crm/leads?size=200&${query}`, { token: publisher.token })).body as {
    total: number;
    data: { id: string; lastName: string; ownerId: string | null; source: string | null }[];
  };

describe('a CSV file', () => {
  it('of three hundred rows is imported, and the three that are refused are downloaded with their reasons', async () => {
    const lines = Array.from({ length: ROWS }, (_, index) => {
      if (index === 7) return ';;ada;;';
      if (index === 100) return `Row ${index};Wrong mail;no address;;`;
      if (index === 250) return `Row ${index};=cmd();a@example.com;Nobody;`;
      return `Row ${index};Número ${index};row${index}@example.com;${index === 0 ? admin.email : ''};x`;
    });
    const text = ['Vorname;Last name;E-Mail;ownerId;Comment', ...lines].join('\r\n');
    await goTo('/records/lead', 'Leads');
    await press('All Leads');
    await page.getByRole('menuitem', { name: 'Import a CSV file' }).click();
    await page.getByRole('heading', { level: 1, name: 'Import Leads' }).waitFor();
    await visit.checkAccessible('choose');
    await page
      .getByLabel('Drop a CSV file here, or choose one')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') });
    await page.getByRole('button', { name: `Import ${ROWS} records` }).waitFor();
    const chosen = (column: string) => page.getByLabel(`Field of ${column}`).inputValue();
    expect(await Promise.all(['Vorname', 'Last name', 'E-Mail', 'ownerId', 'Comment'].map(chosen))).toEqual([
      'firstName',
      'lastName',
      'email',
      'ownerId',
      '',
    ]);
    await page.getByRole('cell', { name: 'Número 0' }).waitFor();
    await visit.checkAccessible('columns');
    await page.getByRole('button', { name: `Import ${ROWS} records`, disabled: false }).click();
    await page.getByText(`${ROWS - 3} records imported`).waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^Row 9 .*Last name: Must have a value/),
      expect.stringMatching(/^Row 102 Email: /),
      'Row 252 Owner: nobody of the workspace',
    ]);
    await visit.checkAccessible('imported');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      press('Download these rows with the reasons'),
    ]);
    expect(download.suggestedFilename()).toBe('people-refused.csv');
    const refused = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect(refused.slice(0, 2)).toEqual([
      '\uFEFFVorname;Last name;E-Mail;ownerId;Comment;Reason',
      expect.stringMatching(/^;;ada;;;.*Must have a value/),
    ]);
    // A spreadsheet takes it for a text.
    expect(refused[3]).toMatch(/^Row 250;"'=cmd\(\)";a@example\.com;Nobody;;Owner: nobody/);
    expect((await leads('filterField=firstName&filterOp=startsWith&filterValue=Row')).total).toBe(ROWS - 3);
    const [owned] = (await leads(`filterField=lastName&filterValue=${encodeURIComponent('Número 0')}`)).data;
    expect(owned?.ownerId).toBe(admin.userId);
  });

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
  const tick = (index: number, modifiers: 'Shift'[] = []) =>
    page.getByRole('checkbox', { name: `Select Chosen ${index}`, exact: true }).click({ modifiers });
  const select = async () => {
    await goTo(`/records/lead?q=${name}&sort=createdAt`, 'Leads');
    await press('Select');
    await bar().waitFor();
  };

  it('are selected, assigned and deleted, and the deletion is undone', async () => {
    await select();
    await tick(2);
    await tick(6, ['Shift']);
    await bar().getByText('5 records selected').waitFor();
    await visit.checkAccessible('selected');
    await press('Assign', bar());
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Owner' }).fill('admin');
    await dialog.getByRole('option', { name: 'admin' }).first().click();
    await press('Change 5 records', dialog);
    await page.getByText('5 records changed').waitFor();
    const chosen = async () => (await leads(`q=${name}&sort=createdAt`)).data.filter(({ ownerId }) => ownerId !== null);
    expect((await chosen()).map(({ lastName }) => lastName).sort()).toEqual(
      [2, 3, 4, 5, 6].map((one) => `Chosen ${one}`),
    );
    await press('Delete 5 records', bar());
    await press('Delete 5 records', page.getByRole('dialog'));
    await page.getByText('5 records deleted').waitFor();
    expect((await leads(`q=${name}`)).total).toBe(225);
    await press('Undo');
    await page.getByText('5 records restored').waitFor();
    expect((await leads(`q=${name}`)).total).toBe(230);
    expect(await chosen()).toHaveLength(5);
    await page.getByText('230 records', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select Chosen 6', exact: true }).waitFor();
    // Rows that are deleted leave the list, and the others move up.
    await visit.forgiveShifts();
  });

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
