import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { errors } from 'playwright-core';
import { eventually } from '../../scripts/demo/client.mjs';
import { addresses } from '../platform/addresses.js';
import { condition, firstRow, goTo, notice, picture, query, rows } from './leads.js';
import { admin, member, page, press, record, visit } from './visiting.js';

describe('a session in the console', () => {
  it('is asked for where nobody is signed in, and the way back is kept', async () => {
    await page.goto(`${addresses.baseUrl}/records/lead?q=Ada`);
    await page.waitForURL((url) => url.pathname === '/account/sign-in');
    expect(query()).toEqual({ next: '/records/lead?q=Ada' });
  });
});

it('speaks the language and has the appearance that are chosen in the menu, also after a reload', async () => {
  await visit.signIn(member);
  await goTo('/records/contact', 'Contacts');
  await press('member');
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await page.getByRole('menuitem', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { level: 1, name: 'Kontakte' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Kontakt anlegen' }).waitFor();
  const root = 'document.documentElement';
  expect(await page.evaluate(`[${root}.lang, ${root}.dataset.mantineColorScheme]`)).toEqual(['de', 'dark']);
});

describe('the list of leads', () => {
  beforeEach(() => visit.signIn(admin));

  it('is filtered by a group of conditions within another', async () => {
    await goTo('/records/lead?sort=lastName', 'Leads');
    await press('Filter');
    await condition(1).getByLabel('Field').selectOption('First name');
    await condition(1).getByLabel('Value').fill('Ada');
    await press('Add a group');
    const group = page.getByRole('group', { name: 'Condition 2', exact: true });
    await press('Add a condition', group);
    for (const [part, status] of [
      ['2.1', 'New'],
      ['2.2', 'Contacted'],
    ] as const) {
      const line = page.getByRole('group', { name: `Condition ${part}` });
      await line.getByLabel('Field').selectOption('Status');
      await line.getByLabel('Value').selectOption(status);
    }
    await visit.checkAccessible('group');
    await press('Apply');
    await page.getByText('1 record', { exact: true }).waitFor();
    const status = (value: string) => ({ field: 'status', value });
    expect(JSON.parse(query().filter ?? '')).toEqual({
      and: [{ field: 'firstName', value: 'Ada' }, { or: [status('new'), status('contacted')] }],
    });

    // The panel offers no id, and keeps it; a filter has 25 conditions at most.
    const kept = { field: 'id', op: 'ne', value: crypto.randomUUID() };
    const filter = JSON.stringify({ and: [kept, { or: Array(23).fill(status('new')) }] });
    await goTo(`/records/lead?filter=${filter}`, 'Leads');
    await press('Filter');
    await page.getByText('id: cannot be changed here and stays as it is').waitFor();
    await press('Add a condition', group);
    await page.getByText('A filter has at most 25 conditions.').waitFor();
    const buttons = page.getByRole('button', { name: /^Add a (condition|group)$/ });
    expect(await buttons.evaluateAll((all) => all.map((one) => one.ariaDisabled))).toEqual(Array(3).fill('true'));
    await press('Apply');
    expect(JSON.parse(query().filter ?? '').and[0]).toEqual(kept);
  });

  it('draws the rows that are seen, and asks for more while it scrolls', async () => {
    const pages: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/crm/leads?')) pages.push(request.url());
    });
    await goTo('/records/lead?sort=lastName', 'Leads');
    await firstRow('Charles Babbage');
    const frame = page.getByRole('region', { name: 'Leads' });
    // The number is padded, so that the last of the alphabet is the last of the list.
    await eventually(async () => {
      await frame.evaluate((element: { scrollTop: number; scrollHeight: number }) => {
        element.scrollTop = element.scrollHeight;
      });
      return (await page.getByRole('link', { name: 'Lead Number 259' }).count()) === 1;
    }, 'the end of the list');
    expect(pages).toHaveLength(2);
    expect(await rows().count()).toBeLessThan(80);
    expect(await page.getByRole('link', { name: 'Charles Babbage' }).count()).toBe(0);
  });

  it('is worked with by keys, and its rows are links', async () => {
    await goTo('/records/lead?sort=lastName', 'Leads');
    await firstRow('Charles Babbage');
    await page.getByRole('link', { name: 'Charles Babbage' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Sophie Germain');
    // On a busy machine a click can fall between two drawings of a row.
    const tab = await eventually(async () => {
      const opened = visit.context.waitForEvent('page', { timeout: 10_000 }).catch((error: unknown) => {
        if (!(error instanceof errors.TimeoutError)) throw error;
        return undefined;
      });
      await page.getByRole('link', { name: 'Sophie Germain' }).click({ modifiers: ['Control'] });
      return opened;
    }, 'a tab of its own');
    // The driver can miss the end of a navigation that it has not begun, so that the address is looked at in a page of its own.
    const place = () => new URL(tab.url()).pathname;
    await eventually(async () => place().startsWith('/records/lead/'), 'the address of the record');
    const opened = await visit.context.newPage();
    await goTo(place(), 'Sophie Germain', opened);
    await page.bringToFront();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'New Lead' }).getByLabel('Last name').waitFor();
  });
});

describe('the day', () => {
  beforeEach(() => visit.signIn(admin));

  it('begins with the search of all objects, by a key and from every page', async () => {
    await goTo('/', 'My day');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search all records' }).fill('spare c');
    await page.getByRole('option', { name: 'Spare cogs' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Spare cogs' }).waitFor();
  });
});

describe('a record', () => {
  beforeEach(() => visit.signIn(admin));
  // An editor opens and closes where it stands.
  afterEach(() => visit.forgiveShifts());

  it('shows both values of a field that two people have changed, and says nothing of another field', async () => {
    const { id } = await record('POST', 'leads', { lastName: 'Noether', companyName: 'ours' });
    await goTo(`/records/lead/${id}`, 'Noether');
    const edit = async (field: string, value: string): Promise<void> => {
      await press(`Edit ${field}`);
      await page.getByRole('textbox', { name: field }).fill(value);
    };
    await edit('Company', 'mine');
    await record('PATCH', `leads/${id}`, { phone: '+49 30 1234567' });
    await press('Save');
    await page.getByRole('region', { name: 'Details' }).getByText('+49 30 1234567').waitFor();
    await notice('Company is saved').waitFor();
    expect(await record('GET', `leads/${id}`)).toMatchObject({ companyName: 'mine', version: 3 });
    await record('PATCH', `leads/${id}`, { phone: null });
    const undone = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
    await press('Undo');
    expect(await (await undone).json()).toMatchObject({ companyName: 'ours', phone: null, version: 5 });

    await edit('Company', 'mine again');
    await record('PATCH', `leads/${id}`, { companyName: 'theirs' });
    // Anyone who comes back to the window has the record loaded anew, and the input stays.
    const loaded = page.waitForResponse((answer) => new URL(answer.url()).pathname === `/api/crm/leads/${id}`);
    await page.evaluate(
      "((now) => { Date.now = () => now() + 6000; dispatchEvent(new Event('visibilitychange')) })(Date.now)",
    );
    expect(await (await loaded).json()).toMatchObject({ companyName: 'theirs' });
    await press('Save');
    const conflict = page.getByRole('alert');
    await conflict.getByText('Now saved').waitFor();
    expect(await conflict.getByRole('definition').allTextContents()).toEqual(['theirs', 'mine again']);
    await visit.checkAccessible('conflict');
    await picture('conflict');
    await press('Save my value');
    await notice('Company is saved').waitFor();
    expect(await record('GET', `leads/${id}`)).toMatchObject({ companyName: 'mine again', version: 7 });
    await record('PATCH', `leads/${id}`, { companyName: 'theirs for good' });
    await press('Undo');
    await notice('Somebody has changed this since').waitFor();
    await page.getByRole('region', { name: 'Details' }).getByText('theirs for good').waitFor();
  });

  it('belongs to someone, who is found by name', async () => {
    const { id } = await record('POST', 'leads', { lastName: 'Franklin' });
    await goTo(`/records/lead/${id}`, 'Franklin');
    await press('Edit Owner');
    await page.getByRole('combobox', { name: 'Owner' }).fill('mem');
    await page.getByRole('option', { name: 'member' }).click();
    await press('Save');
    await press('Edit Owner');
    expect(await record('GET', `leads/${id}`)).toMatchObject({ ownerId: member.userId });
    expect(await page.getByRole('combobox', { name: 'Owner' }).inputValue()).toBe('member');
  });

  it('refers to others by links, and a picker searches for them', async () => {
    await goTo('/records/contact', 'Contacts');
    await page
      .getByRole('row', { name: 'Mary Somerville' })
      .getByRole('link', { name: 'Analytical Engines' })
      .waitFor();
    await goTo('/records/opportunity', 'Deals');
    await page.getByRole('link', { name: 'Spare cogs' }).click();
    await page.getByRole('link', { name: 'Mary Somerville' }).waitFor();
    const { id } = await record('POST', 'companies', { name: 'Cogs and Sons' });
    await press('Edit Company');
    await page.getByRole('combobox', { name: 'Company' }).fill('Cogs');
    await page.getByRole('option', { name: 'Cogs and Sons' }).click();
    await press('Save');
    await page.getByRole('region', { name: 'Linked records' }).getByRole('link', { name: 'Cogs and Sons' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cogs and Sons' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/records/company/${id}`);
  });

  it('and its list are accessible, light and dark, wide and narrow', async () => {
    await goTo('/records/lead?q=example', 'Leads');
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await visit.checkAccessible('list', { everyPair: true });
    await picture('list');
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByText('Last changed').waitFor();
    await visit.checkAccessible('record', { everyPair: true });
    await picture('record');
  });
});
