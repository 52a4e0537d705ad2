import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunningService } from '@crm/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../src/routing/routing.js';
import { PAGE_DIR, Services, startGateway } from './harness.js';

let services: Services;
let gateway: RunningService;
beforeAll(async () => {
  services = await Services.start();
  gateway = await startGateway(services);
});
afterAll(async () => {
  await gateway?.close();
  await services.close();
});

const get = (address: string, init?: RequestInit): Promise<Response> => fetch(`${gateway.url}${address}`, init);

/** What mails link to, and what belongs to the page. */
const PAGES = [
  '/account',
  '/account/authorize?request=0199aa00-0000-7000-8000-000000000001',
  '/account/sign-in',
  '/email-change',
  '/email-change/undo',
  '/invitation',
  '/password-reset',
  '/undo-link',
  '/verify-email',
];

describe('the account page', () => {
  it.each(PAGES)('is at %s, for nobody to frame or to keep, and no service hears of it', async (address) => {
    const answer = await get(address);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toBe(await readFile(path.join(PAGE_DIR, 'index.html'), 'utf8'));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/frame-ancestors 'none'$/);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(services.received).toEqual([]);
  });

  it('is found by programs that only ask whether a link works', async () => {
    const { status, headers } = await get('/verify-email', { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('takes nothing by another method', async () => {
    expect((await get('/password-reset', { method: 'POST', body: '{}' })).status).toBe(404);
  });

  it('is at no address that belongs to a service', () => {
    const below = (prefix: string) => PAGES.filter((page) => `${page}/`.startsWith(`${prefix}/`));
    expect(ROUTES.flatMap(([prefix]) => below(prefix))).toEqual([]);
  });

  it('has files that never change', async () => {
    const { status, headers } = await get('/account/assets/index-1.js');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['missing.js', '..%2findex.html', 'constructor', 'index.html'])(
    'has no file %s, and the refusal is not kept',
    async (name) => {
      const { status, headers } = await get(`/account/assets/${name}`);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(headers.get('cache-control') ?? '').not.toContain('max-age');
    },
  );

  it('keeps the gateway from starting when it was not built', async () => {
    await expect(startGateway(services, { ACCOUNT_PAGE_DIR: path.join(PAGE_DIR, 'assets') })).rejects.toThrow(
      /ACCOUNT_PAGE_DIR.*npm run build/,
    );
  });
});
