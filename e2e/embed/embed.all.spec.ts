import { describe, expect, it } from '@jest/globals';
import { api } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { accessibilityProblems } from './accessibility.mjs';
import { crm, events, goTo, host, inFrame, open, page, publisher } from './framed.js';

describe('the CRM in a frame of an allowed origin', () => {
  it('is shown by a host page that is isolated from other origins', async () => {
    host.set({
      headers: { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' },
    });
    await open();
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
  });

  it('shows only the lists of a token with fewer scopes, and offers no writing with :read', async () => {
    host.set({ scopes: ['leads:read'] });
    await open();
    expect(await crm.getByRole('navigation').count()).toBe(0);
    expect(await crm.getByRole('button', { name: 'New Lead' }).count()).toBe(0);
    await crm.getByRole('button', { name: 'Ada Lovelace' }).click();
    await crm.getByText('You can read this record, but not change it.', { exact: false }).waitFor();
    expect(await crm.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  });

  it('keeps what was typed when someone else has changed the record, shows their value, and saves on a second attempt', async () => {
    const lead = { lastName: 'Noether', companyName: 'ours' };
    const { body: created } = await api('POST', '/api/crm/leads', { token: publisher.token, body: lead, expect: 201 });
    await open();
    await crm.getByRole('button', { name: 'Noether' }).click();
    await crm.getByRole('button', { name: 'Edit Company' }).click();
    const input = crm.getByRole('textbox', { name: 'Company' });
    await input.fill('mine');
    const path = `/api/crm/leads/${created.id}`;
    await api('PATCH', path, { token: publisher.token, body: { companyName: 'theirs' }, expect: 200 });
    await crm.getByRole('button', { name: 'Save' }).click();
    await crm.getByRole('alert').getByText('theirs').waitFor();
    expect(await input.inputValue()).toBe('mine');
    await crm.getByRole('button', { name: 'Save my value' }).click();
    await crm.getByRole('button', { name: 'Edit Company' }).waitFor();
    expect((await api('GET', path, { token: publisher.token, expect: 200 })).body).toMatchObject({
      companyName: 'mine',
    });
  });

  it('moves an opportunity to another stage', async () => {
    await open();
    await goTo('Deals');
    await crm.getByLabel('Move Punched cards to').selectOption('Proposal');
    await crm.getByRole('region', { name: 'Proposal' }).getByText('Punched cards').waitFor();
  });

  it('follows the theme, the locale and the deep links of the host, and reports where the user goes', async () => {
    await open();
    await page.evaluate(
      `embedding.setLocale('de'); embedding.setTheme({ colorScheme: 'dark', colors: { accent: '#e0457b' } });`,
    );
    await crm.getByRole('button', { name: 'Lead anlegen' }).waitFor();
    const root = 'document.documentElement';
    expect(await inFrame(`${root}.dataset.mantineColorScheme`)).toBe('dark');
    const fill = `getComputedStyle(${root}).getPropertyValue('--mantine-primary-color-filled')`;
    expect(await inFrame(fill)).toBe('#e0457b');
    await page.evaluate(`embedding.navigate({ object: 'tasks' })`);
    await crm.getByRole('button', { name: 'Call Mary about the offer' }).click();
    await crm.getByRole('button', { name: 'bearbeiten' }).first().waitFor();
    const visited = (await events()).filter(({ type }) => type === 'navigate');
    expect(visited.at(-1)?.view).toEqual({ object: 'tasks', recordId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('takes its content and its frame away when the host destroys it', async () => {
    await open();
    await page.evaluate('embedding.destroy(); embedding.destroy()');
    expect(await page.locator('iframe').count()).toBe(0);
    expect((await events()).filter(({ type }) => type === 'destroyed')).toHaveLength(1);
  });

  it('has no accessibility problems, light and dark, wide and narrow', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await open();
      const frame = page.frames()[1];
      const check = async (what: string) => expect([what, await accessibilityProblems(frame)]).toEqual([what, []]);
      await check(`list, ${colorScheme}`);
      await crm.getByRole('button', { name: 'Ada Lovelace' }).click();
      await crm.getByRole('button', { name: 'Edit Last name' }).click();
      await crm.getByRole('textbox', { name: 'Last name' }).fill('');
      await crm.getByRole('button', { name: 'Save' }).click();
      await crm.getByText('Fill in this field.').waitFor();
      await check(`form, ${colorScheme}`);
      await goTo('Deals');
      await crm.getByText('Difference engine').waitFor();
      await check(`pipeline, ${colorScheme}`);
      await crm.getByRole('button', { name: 'New Deal' }).click();
      await crm.getByRole('combobox', { name: 'Company' }).fill('Ana');
      await crm.getByRole('option', { name: 'Analytical Engines' }).waitFor();
      await check(`picker, ${colorScheme}`);
    }
    await page.setViewportSize({ width: 360, height: 700 });
    await goTo('Leads');
    await crm.getByText('Ada Lovelace').waitFor();
    expect(await accessibilityProblems(page.frames()[1])).toEqual([]);
    expect(await inFrame('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});

describe('the token', () => {
  it('that ran out during a sleep takes no half-typed form away, although the host needs two attempts for another', async () => {
    await page.clock.install();
    await open();
    await crm.getByRole('button', { name: 'New Lead' }).click();
    await crm.getByLabel('Last name').fill('Half-typed');
    let refusals = 0;
    await page.route('**/token?*', (route) => (++refusals === 1 ? route.abort() : route.continue()));
    await page.clock.fastForward(1_000_000);
    await page.waitForFunction(`events.some(({ code }) => code === 'fetch_token_failed')`);
    await page.clock.fastForward(4_000);
    await page.waitForFunction(`events.filter(({ type }) => type === 'token').length > 1`);
    expect(await crm.getByLabel('Last name').inputValue()).toBe('Half-typed');
    await crm.getByRole('button', { name: 'Save' }).click();
    await crm.getByRole('heading', { name: 'Half-typed' }).waitFor();
  });

  it('of another user takes away what was shown for the one before', async () => {
    await page.clock.install();
    await open();
    const user = { sub: 'user-3', email: `user-3-${publisher.tenantId}@host.test`, name: 'Their Colleague' };
    host.set({ user, scopes: ['contacts:read'] });
    await page.clock.fastForward(841_000);
    await crm.getByText('Mary Somerville').waitFor();
    expect(await inFrame('document.body.innerText')).not.toContain('Lovelace');
    expect(host.reasons).toEqual(['first', 'expiring']);
  });

  it('is replaced when it is refused, without the user noticing', async () => {
    host.set({ alter: (token) => (host.reasons.at(-1) === 'first' ? token.replace(/[^.]+$/, 'AAAA') : token) });
    await open();
    expect(host.reasons).toEqual(['first', 'refused']);
  });

  it('of a user who is disabled ends within a second, with everything that it showed', async () => {
    const user = { sub: 'user-2', email: `user-2-${publisher.tenantId}@host.test`, name: 'Somebody' };
    host.set({ user });
    let authorization = '';
    page.on('request', async (request) => {
      if (request.url().startsWith(addresses.baseUrl)) ({ authorization = authorization } = await request.allHeaders());
    });
    await open();
    const { body } = await api('GET', '/api/tenant/users?size=200', { token: publisher.token, expect: 200 });
    const { id } = body.data.find(({ email }: { email: string }) => email === user.email);
    await api('PATCH', `/api/tenant/users/${id}`, {
      token: publisher.token,
      body: { status: 'disabled' },
      expect: 200,
    });
    const begun = Date.now();
    while ((await api('GET', '/api/auth/me', { headers: { authorization } })).status !== 401) {
      expect(Date.now() - begun).toBeLessThan(1000);
    }
    await goTo('Contacts');
    await crm.getByText('Your session has ended').waitFor();
    expect(await inFrame('document.body.innerText')).not.toContain('Lovelace');
    expect((await events()).map(({ code }) => code).filter(Boolean)).toEqual(['fetch_token_failed', 'token_refused']);
    expect(host.reasons).toEqual(['first', 'refused']);
  });

  it('is not asked for by other windows, and no other window is listened to', async () => {
    await open();
    await page.evaluate(`new Promise((resolve) => {
      const intruder = document.createElement('iframe');
      intruder.id = 'intruder';
      document.body.append(intruder);
      const script = intruder.contentDocument.createElement('script');
      // The message has the allowed origin, but does not come from the parent of the embed page.
      script.text = "for (const type of ['destroyed', 'token-failed']) parent.frames[0].postMessage({ protocol: 'crm-embed', version: 1, type }, '*');" +
        "parent.postMessage({ protocol: 'crm-embed', version: 1, type: 'token-wanted', reason: 'refused' }, '*')";
      intruder.contentDocument.body.append(script);
      setTimeout(resolve, 100);
    })`);
    const shown = page.frameLocator('main iframe');
    await shown.getByRole('navigation').getByRole('button', { name: 'Contacts' }).click();
    await shown.getByText('Mary Somerville').waitFor();
    expect(host.reasons).toEqual(['first']);
  });
});
