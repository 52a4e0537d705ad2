import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { inRoot } from '../../scripts/root.mjs';
import { freePorts } from '../../scripts/servers/free-port.mjs';
import { addresses } from '../platform/addresses.js';
import { startBrowser } from './browser.mjs';

let example: ChildProcess;
let browser: Browser;
let address: string;
beforeAll(async () => {
  const [port] = (await freePorts(1)) as [number];
  example = spawn(process.execPath, [inRoot('examples', 'embed-host', 'src', 'server.mjs')], {
    env: { ...process.env, PORT: String(port), API_URL: addresses.baseUrl, EMBED_URL: addresses.embedApiUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: example.stdout as NodeJS.ReadableStream });
  const [line] = await Promise.race([once(lines, 'line'), once(example, 'exit')]);
  address = String(line).replace('The host is at ', '');
  browser = await startBrowser({});
});
afterAll(async () => {
  await browser?.close();
  example?.kill();
});

describe('the example of a host, started with the one command of the README', () => {
  it('shows the CRM in a frame, on an origin of this machine, and keeps deep links', async () => {
    expect(address).toMatch(/^http:\/\/localhost:\d+$/);
    const page = await browser.newPage();
    await page.goto(address);
    const crm = page.frameLocator('iframe');
    await crm.getByRole('button', { name: 'Ada Lovelace' }).click();
    await crm.getByRole('button', { name: 'Edit Last name' }).waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#leads%2F[0-9a-f-]{36}$/);
    await page.reload();
    await crm.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('');
  });
});
