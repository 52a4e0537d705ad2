import { expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityProblems } from '../embed/accessibility.mjs';
import { PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';

const HEIGHT = 720;
const NARROW = 360;

/** What the page must never do, watched from its first moment on. */
const WATCH = `
  window.refused = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    window.refused.push(violatedDirective + ' ' + blockedURI));
  window.shift = 0;
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shift += value;
      for (const { node, previousRect, currentRect } of sources) {
        const { tagName, className, textContent } = node ?? {};
        window.moved.push([value, tagName, className, textContent?.slice(0, 40), previousRect.y, currentRect.y].join(' '));
      }
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** What no script reads: the session of the page. */
const isSession = ({ name, httpOnly }: { readonly name: string; readonly httpOnly: boolean }): boolean =>
  name === 'crm-session' && httpOnly;

/** The router's own: where a page was scrolled to, and a number for each address. */
const ofRouter = (name: string): boolean => name.startsWith('tsr-scroll') || name.startsWith('__') || name === 'key';

/** Ties a sign-in at a provider to this browser for ten minutes. It is no credential, and the page cannot read it. */
const isTie = ({ name, httpOnly }: { readonly name: string; readonly httpOnly: boolean }): boolean =>
  name === '__Host-crm-sign-in' && httpOnly;

/** What a known browser is known by is all that may stay: of which account, nobody can read from it. */
function checkKnownDevices({ 'crm-account-devices': devices = '[]', ...others }: Record<string, string>): void {
  expect(others).toEqual({});
  for (const device of JSON.parse(devices)) {
    const account = device.account === null ? null : expect.stringMatching(/^[\w-]{43}$/);
    const token = expect.stringMatching(/^[\w-]{43}\.[\w-]{22}\.[\w-]{22}$/);
    expect(device).toEqual({ account, token, since: expect.any(Number) });
  }
}

interface Kept {
  readonly local: Record<string, string>;
  readonly session: object;
  readonly state: object | null;
}

/** A browser of someone, with nothing of an earlier visit in it. */
export class Visit {
  private faults: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly width: number,
  ) {
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (message) => {
      // A refusal of the API is an answer; Chromium writes it down as an error all the same.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.faults.push(message.text());
      }
    });
  }

  static async begin(browser: Browser, { locale = 'en-GB', width = 1000 } = {}): Promise<Visit> {
    const context = await browser.newContext({ viewport: { width, height: HEIGHT }, locale });
    await context.addInitScript(WATCH);
    return new Visit(context, await context.newPage(), width);
  }

  /** A session in the cookie of the browser, as a sign-in on the page begins it. */
  async signIn({ email }: { readonly email: string }): Promise<void> {
    const answer = await this.context.request.post(`${addresses.baseUrl}/api/auth/session`, {
      data: { email, password: PASSWORD },
      headers: { origin: new URL(addresses.baseUrl).origin, 'x-requested-with': 'crm-page' },
    });
    expect(answer.status()).toBe(200);
  }

  /** Takes back a fault that the test has brought about. */
  forgive(expected: RegExp): void {
    const others = this.faults.filter((fault) => !expected.test(fault));
    expect(others.length).toBeLessThan(this.faults.length);
    this.faults = others;
  }

  /**
   * axe, once in each colour scheme and once at each width; a narrow page does not scroll to the side.
   * @param everyPair in each colour scheme at each width; by default with `--deep` alone
   */
  async checkAccessible(what: string, { everyPair = process.env.DEEP === '1' } = {}): Promise<void> {
    for (const [colorScheme, width] of this.looks(everyPair)) {
      await this.page.setViewportSize({ width, height: HEIGHT });
      await this.page.emulateMedia({ colorScheme });
      const found = await accessibilityProblems(this.page.mainFrame());
      expect([what, width, colorScheme, found]).toEqual([what, width, colorScheme, []]);
      expect(await this.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    await this.page.setViewportSize({ width: this.width, height: HEIGHT });
  }

  private looks(everyPair: boolean): ['dark' | 'light', number][] {
    const pairs: ['dark' | 'light', number][] = [
      ['dark', this.width],
      ['light', NARROW],
    ];
    return everyPair ? [...pairs, ['dark', NARROW], ['light', this.width]] : pairs;
  }

  /** Nothing is left of a token or a password: not in the address, in a storage, in a cookie or in the history. */
  async checkNothingKept(): Promise<void> {
    const kept = await this.page.evaluate<Kept>(`(async () => ({
      local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie,
      databases: await indexedDB.databases(), caches: await caches.keys(),
      hash: location.hash, name: window.name, state: history.state,
    }))()`);
    const { local, session, state, ...others } = kept;
    checkKnownDevices(local);
    expect([session, state ?? {}].flatMap(Object.keys).filter((name) => !ofRouter(name))).toEqual([]);
    expect(others).toEqual({
      cookie: '',
      databases: [],
      caches: [],
      hash: '',
      name: '',
    });
    const cookies = await this.context.cookies(this.page.url());
    expect(cookies.filter((cookie) => !isTie(cookie) && !isSession(cookie))).toEqual([]);
  }

  /** Forgets the layout shifts so far: on a slow machine the answer to a click comes too late for the browser to attribute them to it. */
  async forgiveShifts(): Promise<void> {
    // The browser reports a shift only after the frame in which it happened.
    await this.page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
    );
    await this.page.evaluate('window.shift = 0; window.moved = []');
  }

  /** Ends the visit; whatever the page did wrong in it is a failure. */
  async end(): Promise<void> {
    const { refused, shift, moved } = await this.page.evaluate<{ refused: string[]; shift: number; moved: string[] }>(
      '({ refused: window.refused, shift: window.shift, moved: window.moved })',
    );
    await this.context.close();
    expect([refused, this.faults]).toEqual([[], []]);
    if (shift > 0.01) expect(moved).toEqual([]);
  }
}
