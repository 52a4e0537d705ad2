import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { eventsPage } from './events-page.js';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/reference/events.md');

it('docs/reference/events.md matches the definitions of the events', async () => {
  const page = eventsPage();
  if (process.env.WRITE_DOCS) await writeFile(PAGE, page);
  expect(await readFile(PAGE, 'utf8')).toBe(page);
});
