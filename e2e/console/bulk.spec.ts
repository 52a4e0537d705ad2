import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { api } from '../platform/accounts.js';
import { admin, goTo, page, press, publisher, visit } from './visiting.js';

/** Rows of the imported file, of which three are wrong. */
const ROWS = 300;
/** Leads of a list of which some are chosen: more than the API answers at a time. */
const CHOSEN = 230;

beforeEach(() => visit.signIn(admin));

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
});
