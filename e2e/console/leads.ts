import { mkdir } from 'node:fs/promises';
import { beforeAll, expect } from '@jest/globals';
import { eventually } from '../../scripts/demo/client.mjs';
import { inRoot } from '../../scripts/root.mjs';
import { goTo as goToPage, page, record } from './visiting.js';

/** More leads than the page draws, and than the API answers at a time. */
export const LEADS = 260;

beforeAll(async () => {
  const waiting = Array.from({ length: LEADS }, (_, index) => index);
  const add = async (): Promise<void> => {
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const number = String(index).padStart(3, '0');
      await record('POST', 'leads', {
        firstName: 'Lead',
        lastName: `Number ${number}`,
        companyName: 'Many',
        source: 'fair',
      });
    }
  };
  await Promise.all([add(), add(), add(), add()]);
});

export const goTo = async (path: string, heading: string, on = page): Promise<void> => {
  await goToPage(path, heading, on);
  expect(await on.evaluate('window.shift')).toBeLessThanOrEqual(0.01);
};
export const rows = () => page.getByRole('row').locator('th a');
export const firstRow = (name: string) =>
  page.locator('tbody tr:not([aria-hidden])').first().getByRole('link', { name }).waitFor();
export const condition = (number: number) => page.getByRole('group', { name: `Condition ${number}` });
export const notice = (text: string) => page.locator('.mantine-Notification-root').filter({ hasText: text });
export const search = () => page.getByRole('searchbox');
export const focusIsOn = (name: string) =>
  eventually(
    () => page.getByRole('button', { name, exact: true }).evaluate((shown) => shown.matches(':focus')),
    `the focus on ${name}`,
  );
export const query = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);

/** For the README, on request. */
export async function picture(name: string): Promise<void> {
  if (!process.env.CONSOLE_PICTURES) return;
  await mkdir(inRoot('docs', 'images'), { recursive: true });
  await page.setViewportSize({ width: 1280, height: 760 });
  // Until what measures its size has drawn again.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  await page.screenshot({ path: inRoot('docs', 'images', `console-${name}.png`) });
}
