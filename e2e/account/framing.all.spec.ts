import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../embed/browser.mjs';
import { addresses } from '../platform/addresses.js';

let browser: Browser;
let other: Server;
beforeAll(async () => {
  browser = await startBrowser({});
  other = createServer((request, response) => {
    const framed = new URL(request.url ?? '/', 'http://other').searchParams.get('of') ?? '';
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Other</title><iframe src="${framed}"></iframe>`);
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  await browser?.close();
  other?.close();
});

describe('the account page in a frame of another page', () => {
  it.each(['/account', '/account/authorize?request=1', '/account/security', '/password-reset', '/undo-link'])(
    'is refused by the browser: %s',
    async (path) => {
      const page = await browser.newPage();
      const loaded: string[] = [];
      page.on('response', (response) => loaded.push(new URL(response.url()).pathname));
      const { port } = other.address() as AddressInfo;
      await page.goto(`http://127.0.0.1:${port}/?of=${encodeURIComponent(`${addresses.baseUrl}${path}`)}`);
      const frame = () => page.frames().find((one) => one !== page.mainFrame());
      for (let waited = 0; frame()?.url() !== 'chrome-error://chromewebdata/' && waited < 100; waited += 1) {
        await page.waitForTimeout(50);
      }
      expect(frame()?.url()).toBe('chrome-error://chromewebdata/');
      expect(loaded.filter((one) => one.startsWith('/assets'))).toEqual([]);
      await page.close();
    },
  );
});
