import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'playwright-core';
import { eventually } from '../../scripts/demo/client.mjs';
import { condition, firstRow, focusIsOn, goTo, LEADS, notice, picture, query, search } from './leads.js';
import { admin, member, page, press, publisher, record, visit } from './visiting.js';

describe('a session in the console', () => {
  it('goes on after a reload and in another window, and ends in both at once', async () => {
    await visit.signIn(admin);
    await goTo('/', 'My day');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'My day' }).waitFor();
    const other = await visit.context.newPage();
    await goTo('/records/task', 'Tasks', other);
    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])';
    expect(await page.evaluate(kept)).not.toMatch(/eyJ|session/);
    await press('admin');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await Promise.all([page, other].map((one) => one.waitForURL((url) => url.pathname === '/account/sign-in')));
    expect((await visit.context.cookies()).map(({ name }) => name).filter((name) => name.includes('session'))).toEqual(
      [],
    );
  });
});

describe('the list of leads', () => {
  beforeEach(() => visit.signIn(admin));

  it('is searched, filtered and sorted, and the address says how', async () => {
    await goTo('/records/lead', 'Leads');
    await page.getByText(`${LEADS + 3} records`).waitFor();
    await search().fill('Ada');
    await page.getByText('1 record', { exact: true }).waitFor();
    await firstRow('Ada Lovelace');
    expect(query()).toEqual({ q: 'Ada' });
    await page.goBack();
    await page.getByText(`${LEADS + 3} records`).waitFor();
    expect(await search().inputValue()).toBe('');

    await press('Lead');
    await firstRow('Charles Babbage');
    await press('Lead');
    await firstRow('Lead Number 259');
    expect(query()).toEqual({ sort: '-lastName' });
    expect(await page.getByRole('columnheader', { name: 'Lead' }).getAttribute('aria-sort')).toBe('descending');

    await press('Filter');
    await condition(1).getByLabel('Field').selectOption('Status');
    await condition(1).getByLabel('Value').selectOption('Contacted');
    await press('Apply');
    await firstRow('Charles Babbage');
    expect(query()).toEqual({ sort: '-lastName', filter: '{"and":[{"field":"status","value":"contacted"}]}' });
    await page.reload();
    await firstRow('Charles Babbage');
    await press('Remove the filter Status: Contacted');
    await page.getByText(`${LEADS + 3} records`).waitFor();

    await search().fill('nobody is called so');
    await page.getByText('Nothing matches “nobody is called so”').waitFor();
    await press('Show all Leads');
    await firstRow('Lead Number 259');
  });

  it('is filtered by several conditions, sorted by several fields, and kept as a view', async () => {
    await goTo('/records/lead?sort=companyName', 'Leads');
    await press('Filter');
    await condition(1).getByLabel('Field').selectOption('First name');
    await condition(1).getByLabel('Operator').selectOption('is not');
    await condition(1).getByLabel('Value').fill('Lead');
    await press('Add a condition');
    await condition(2).getByLabel('Field').selectOption('Created');
    await condition(2).getByLabel('Operator').selectOption('since');
    await condition(2).getByLabel('Choice').selectOption('days ago …');
    await condition(2).getByLabel('Days').fill('7');
    await visit.checkAccessible('filter');
    await press('Apply');
    await focusIsOn('Filter');
    await page.getByText('3 records').waitFor();
    await page.getByText('Created since 7 days ago').waitFor();
    await page.getByRole('button', { name: 'Lead', exact: true }).click({ modifiers: ['Shift'] });
    await firstRow('Charles Babbage');
    expect(query().sort).toBe('companyName,lastName');

    await press('All Leads');
    await page.getByRole('menuitem', { name: 'Save as a new view' }).click();
    const form = page.getByRole('dialog', { name: 'Save as a new view' });
    await form.getByLabel('Name').fill('Mathematicians');
    await form.getByLabel('Everyone in the workspace sees it').check();
    await press('Save', form);
    await page.getByRole('button', { name: 'Mathematicians' }).waitFor();
    expect(Object.keys(query())).toEqual(['view']);

    await press('Columns');
    await page.getByRole('checkbox', { name: 'Owner' }).check();
    await page.getByRole('checkbox', { name: 'Email' }).uncheck();
    await visit.checkAccessible('columns');
    await press('Move Company down');
    await press('Move Company down');
    await press('Move Phone up');
    await focusIsOn('Move Phone down');
    await page.keyboard.press('Escape');
    await focusIsOn('Columns');
    // Two of them are sorted by.
    expect((await page.getByRole('columnheader').allTextContents()).map((text) => text.trim())).toEqual([
      ...['Lead 2', 'Phone', 'Status', 'Source', 'Company 1', 'Owner'],
    ]);
    expect(query().columns).toBe('phone,status,source,companyName,ownerId');
    await press('Remove the filter Created since 7 days ago');
    await page.getByText('Not saved').waitFor();
    await page.reload();
    await page.getByText('Not saved').waitFor();
    await firstRow('Charles Babbage');
    await press('Mathematicians');
    await page.getByRole('menuitem', { name: 'Save the changes' }).click();
    await page.getByText('Not saved').waitFor({ state: 'detached' });
    expect((await record('GET', 'views?object=lead')).data).toEqual([
      expect.objectContaining({
        ...{ name: 'Mathematicians', shared: true, sort: 'companyName,lastName' },
        filter: { and: [{ field: 'firstName', op: 'ne', value: 'Lead' }] },
        columns: ['phone', 'status', 'source', 'companyName', 'ownerId'],
      }),
    ]);
  });
});

describe('the day', () => {
  beforeEach(() => visit.signIn(admin));

  it('has what is due, closes and waits, and a task is completed where it stands', async () => {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const ownerId = admin.userId;
    const { id } = await record('POST', 'tasks', { title: 'Send the offer', dueAt: yesterday, assigneeId: ownerId });
    const closeDate = new Date().toISOString().slice(0, 10);
    await record('POST', 'opportunities', { name: 'Looms', amount: 90, currency: 'EUR', closeDate, ownerId });
    await goTo('/', 'My day');
    await page.getByRole('region', { name: 'Closing this month' }).getByRole('link', { name: 'Looms' }).waitFor();
    await page.getByRole('region', { name: 'Leads to get back to' }).getByText('No lead of yours waits').waitFor();
    await visit.checkAccessible('day');
    await picture('day');
    const complete = page.getByRole('checkbox', { name: 'Complete Send the offer' });
    await page.route(`**/api/crm/tasks/${id}`, (route) => route.fulfill({ status: 503, json: { status: 503 } }), {
      times: 1,
    });
    await complete.click();
    const complaint = notice('Not available');
    await complaint.waitFor();
    await visit.checkAccessible('complaint');
    await press('Close', complaint);
    await complete.click();
    await page.getByText('Nothing is due today').waitFor();
    expect(await record('GET', `tasks/${id}`)).toMatchObject({ status: 'completed' });
    await press('Undo');
    await page.getByRole('link', { name: 'Send the offer' }).waitFor();
    await page.getByRole('link', { name: 'Show all: Tasks due' }).click();
    await page.getByText('Assignee: me').waitFor();
    await firstRow('Send the offer');
  });
});

describe('a record', () => {
  beforeEach(() => visit.signIn(admin));
  // An editor opens and closes where it stands.
  afterEach(() => visit.forgiveShifts());

  it('is created, with what is refused in words beside its field, changed in place and deleted', async () => {
    await goTo('/records/lead', 'Leads');
    await press('New Lead');
    const form = page.getByRole('dialog', { name: 'New Lead' });
    await press('Save', form);
    await form.getByText('Fill in this field.').waitFor();
    await form.getByLabel('Last name').fill('Hopper');
    await form.getByLabel('Email').fill('nonsense');
    await press('Save', form);
    await form.getByText('Must be an email address').waitFor();
    await form.getByText('Request').waitFor();
    await visit.checkAccessible('form');
    await form.getByLabel('Email').fill('grace@example.com');
    await press('Save', form);
    await page.getByRole('heading', { level: 1, name: 'Hopper' }).waitFor();

    await press('Edit First name');
    await page.getByRole('textbox', { name: 'First name' }).fill('Grace');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor();
    await focusIsOn('Edit First name');
    const id = new URL(page.url()).pathname.split('/').at(-1);
    expect(await record('GET', `leads/${id}`)).toMatchObject({ firstName: 'Grace', version: 2 });
    await press('Undo');
    await page.getByRole('heading', { level: 1, name: 'Hopper', exact: true }).waitFor();
    await eventually(async () => (await record('GET', `leads/${id}`)).firstName === null, 'the name as it was');
    await press('Edit First name');
    await page.getByRole('textbox', { name: 'First name' }).fill('Grace');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor();
    await press('Edit Email');
    await page.getByRole('textbox', { name: 'Email' }).fill('nonsense');
    await press('Save');
    await page.getByText('Must be an email address').waitFor();
    await press('Cancel');
    await page.getByText('grace@example.com').waitFor();

    await press('Delete');
    await press('Delete', page.getByRole('dialog', { name: 'Delete Grace Hopper?' }));
    await page.getByText('Grace Hopper was deleted').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
    expect((await record('GET', `leads/${id}`)).code).toBe('NOT_FOUND');
    await press('Undo', notice('Grace Hopper was deleted'));
    await eventually(async () => (await record('GET', `leads/${id}`)).version === 6, 'the record again');

    await record('DELETE', `leads/${id}`);
    await goTo('/records/lead', 'Leads');
    await press('All Leads');
    await page.getByRole('menuitem', { name: 'Bin' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bin: Leads' }).waitFor();
    await visit.checkAccessible('bin');
    await press('Restore Grace Hopper');
    await page.getByText('Grace Hopper is back').waitFor();
    await page.getByText('The bin is empty').waitFor();
    expect(await record('GET', `leads/${id}`)).toMatchObject({ firstName: 'Grace', version: 8 });

    await goTo(`/records/lead/${id}`, 'Grace Hopper');
    await press('Erase Grace Hopper …');
    const question = page.getByRole('dialog', { name: 'Erase Grace Hopper for good?' });
    const erase = question.getByRole('button', { name: 'Erase for good' });
    await erase.waitFor();
    expect(await erase.isDisabled()).toBe(true);
    await question.getByLabel('Type “Grace Hopper” to confirm').fill('Grace Hopper');
    await visit.checkAccessible('erase');
    await erase.click();
    await page.getByText('Grace Hopper is erased').waitFor();
    expect((await record('POST', `leads/${id}/restore`)).code).toBe('NOT_FOUND');
  });
});

it('a member sees nothing of a field that is kept from members, in the page or behind it', async () => {
  await visit.signIn(member);
  const answers: Promise<string>[] = [];
  const keep = (response: Response): void => {
    if (response.url().includes('/api/') && response.status() === 200) answers.push(response.text());
  };
  page.on('response', keep);
  const path = `/records/${publisher.objectName}`;
  await goTo(path, 'Site visits');
  await page.getByRole('link', { name: 'Roof of the town hall' }).waitFor();
  await press('New Site visit');
  await page.getByRole('dialog').getByLabel('Hours').waitFor();
  const shown = [await page.content()];
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Roof of the town hall' }).click();
  await page.getByText('Hours with travel').waitFor();
  shown.push(await page.content());
  // An answer that comes while the page closes has no text.
  page.off('response', keep);
  const seen = [...shown, ...(await Promise.all(answers))].join('\n');
  expect(answers.length).toBeGreaterThan(3);
  expect(seen).toContain('doubled');
  // The rate, and the sum that would tell it.
  expect(seen).not.toMatch(/hourly.?rate|"total":\s*240|>Total</i);
});
