import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../embed/browser.mjs';
import { Person } from './person.js';
import { Visit } from './visit.js';

// A browser for the tests of the file that imports it, and for each of them a visit of someone who has not been there.
export let browser: Browser;
export let visit: Visit;
export let page: Page;
export let person: Person;

beforeAll(async () => {
  browser = await startBrowser({});
});
afterAll(() => browser?.close());
beforeEach(async () => {
  visit = await Visit.begin(browser);
  ({ page } = visit);
  person = new Person(page);
});
afterEach(() => visit.end());
