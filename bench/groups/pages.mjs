// What people wait for in the console: a whole platform, a real Chromium, nothing in its cache.
import { startBrowser } from '../../e2e/embed/browser.mjs';
import { client } from '../../scripts/demo/client.mjs';
import { startTestPlatform } from '../../scripts/testing/platform-for-tests.mjs';
import { NO_LIMIT } from '../lab.mjs';
import { inRounds, median, setting } from '../measure.mjs';

/** @typedef {Awaited<ReturnType<Awaited<ReturnType<typeof startBrowser>>['newPage']>>} Page */
/** @typedef {Awaited<ReturnType<typeof startPages>>} Subjects */

const ROUNDS = setting('ROUNDS', 5, 1);
const LEADS = setting('PAGE_LEADS', 10_000, 300);
const AT_ONCE = 8;
const LIMITS = ['TENANT', 'PRINCIPAL', 'ADDRESS'];
const PASSWORD = 'correct-horse-battery-staple';
/** How far a turn of the wheel goes, in pixels, and how many make all rows go by. */
const [WHEEL, TURNS] = [1_500, 400];

/** Bytes a second, milliseconds of latency and how much slower the processor is; the largest paint in milliseconds at most. */
const CONNECTIONS = {
  '10 Mbit/s': { throughput: 1_250_000, latency: 40, slowdown: 1, atMost: 1_200 },
  'slow 4G, a quarter of the processor': { throughput: 200_000, latency: 150, slowdown: 4, atMost: 3_800 },
};
const PAGES = { 'sign-in': '/account/sign-in', 'My day': '/', 'a list': '/records/lead', 'a record': '' };

/** Remembers what the browser tells of paints, shifts, tasks and events. */
const OBSERVE = `
  window.seen = { paint: 0, shift: 0, tasks: [], events: [] };
  const observe = (type, take, more) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
  observe('largest-contentful-paint', ({ startTime }) => { seen.paint = startTime; });
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.shift += value; });
  observe('longtask', ({ duration }) => seen.tasks.push(duration));
  observe('event', ({ duration }) => seen.events.push(duration), { durationThreshold: 16 });`;

/** @param {import('../lab.mjs').Lab} lab */
async function startPages(lab) {
  const platform = await startTestPlatform(Object.fromEntries(LIMITS.map((name) => [`RATE_LIMIT_${name}`, NO_LIMIT])));
  lab.stops.push(() => platform.stop());
  const browser = await startBrowser({});
  lab.stops.push(() => browser.close());
  const { baseUrl } = platform.addresses;
  const api = client(baseUrl);
  const email = 'pages@example.test';
  const login = { email, password: PASSWORD };
  const registration = { ...login, name: 'Owner', workspace: { name: 'Pages', plan: 'enterprise' } };
  await api('POST', '/api/auth/register', { body: registration, expect: 201 });
  const { accessToken: token } = (await api('POST', '/api/auth/login', { body: login, expect: 200 })).body;
  const waiting = Array.from({ length: LEADS }, (_, index) => index);
  const add = async () => {
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const lead = { firstName: 'Lead', lastName: `Number ${index}`, companyName: 'Many' };
      await api('POST', '/api/crm/leads', { token, body: lead, expect: 201 });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, add));
  const [lead] = (await api('GET', '/api/crm/leads?size=1', { token, expect: 200 })).body.data;
  /** A page that nobody has seen. */
  const visit = async (isSignedIn = true) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const headers = { origin: new URL(baseUrl).origin, 'x-requested-with': 'crm-page' };
    if (isSignedIn) await context.request.post(`${baseUrl}/api/auth/session`, { data: login, headers });
    const page = await context.newPage();
    await page.addInitScript(OBSERVE);
    return page;
  };
  return { baseUrl, visit, record: `/records/lead/${lead.id}` };
}

/** @param {Page} page @param {string} expression @returns {Promise<any>} */
const seen = (page, expression) => page.evaluate(`window.seen.${expression}`);

/** The largest paint of each page, and how far what it shows has moved. @param {Subjects} subjects */
async function paint({ baseUrl, visit, record }) {
  const rows = [];
  for (const [connection, { throughput, latency, slowdown, atMost }] of Object.entries(CONNECTIONS)) {
    for (const [name, path] of Object.entries(PAGES)) {
      const rounds = await inRounds(ROUNDS, async () => {
        const page = await visit(name !== 'sign-in');
        const devtools = await page.context().newCDPSession(page);
        const both = { downloadThroughput: throughput, uploadThroughput: throughput };
        await devtools.send('Network.emulateNetworkConditions', { offline: false, latency, ...both });
        await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
        await page.goto(baseUrl + (path || record), { waitUntil: 'networkidle' });
        const { paint: painted, shift } = await page.evaluate('window.seen');
        await page.context().close();
        return { painted, shift };
      });
      const title = `${name}, ${connection}`;
      rows.push({
        name: `largest paint of ${title}`,
        unit: 'ms',
        ours: median(rounds.map(({ painted }) => painted)),
        atMost,
      });
      rows.push({
        name: `layout shift of ${title}`,
        unit: '',
        ours: median(rounds.map(({ shift }) => shift)),
        atMost: 0.01,
      });
    }
  }
  return rows;
}

/** The longest task while all rows of a list go by, and the slowest answer to a letter of a search. @param {Subjects} subjects */
async function list({ baseUrl, visit }) {
  const rounds = await inRounds(ROUNDS, async () => {
    const page = await visit();
    await page.goto(`${baseUrl}/records/lead`, { waitUntil: 'networkidle' });
    await page.evaluate('window.seen.tasks = []');
    await page.mouse.move(640, 500);
    for (let turn = 0; turn < TURNS; turn += 1) await page.mouse.wheel(0, WHEEL);
    await page.waitForLoadState('networkidle');
    const [longest, count] = [
      await seen(page, 'tasks.reduce((a, b) => Math.max(a, b), 0)'),
      await seen(page, 'tasks.length'),
    ];
    await page.evaluate('window.seen.events = []');
    await page.getByRole('searchbox').pressSequentially('number 77', { delay: 60 });
    await page.waitForLoadState('networkidle');
    const slowest = await seen(page, 'events.reduce((a, b) => Math.max(a, b), 0)');
    await page.context().close();
    return { longest, count, slowest };
  });
  return [
    {
      name: `longest task while ${LEADS} rows scroll`,
      unit: 'ms',
      ours: median(rounds.map(({ longest }) => longest)),
      atMost: 50,
    },
    { name: 'tasks over 50 ms meanwhile', unit: '', ours: median(rounds.map(({ count }) => count)) },
    { name: 'slowest letter of a search', unit: 'ms', ours: median(rounds.map(({ slowest }) => slowest)), atMost: 100 },
  ];
}

export const suites = [{ start: startPages, cases: { paint, list } }];
