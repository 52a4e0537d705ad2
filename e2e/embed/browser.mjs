import { chromium as playwright } from 'playwright-core';
import { chromium } from '../../scripts/servers/chromium.mjs';

/**
 * Starts a Chromium that finds hosts by name on loopback and accepts their certificates.
 * @param {Readonly<Record<string, number>>} hosts ports by name
 */
export async function startBrowser(hosts) {
  const { program, environment } = await chromium();
  const rules = Object.entries(hosts).map(([name, port]) => `MAP ${name}:443 127.0.0.1:${port}`);
  return playwright.launch({
    executablePath: program,
    env: /** @type {Record<string, string>} */ ({ ...process.env, ...environment }),
    args: [`--host-resolver-rules=${rules.join(', ')}`, '--ignore-certificate-errors'],
  });
}
