import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { EVENT_TYPES } from '../src/subscriptions/event-type.js';
import { eventsPage } from './events-page.js';

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/reference');

it('the page of events has a section for each (npm run docs -- events writes it)', async () => {
  const page = eventsPage();
  if (process.env.WRITE_DOCS) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(path.join(FOLDER, 'events.md'), page);
  }
  const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, name]) => name);
  expect(headings.sort()).toEqual(EVENT_TYPES.map(({ name }) => name).sort());
});
