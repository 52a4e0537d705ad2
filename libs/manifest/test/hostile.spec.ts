import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { type Certification, CHECKS, certify, certifySources, JsonSource, type Manifest } from '../src/index.js';
import { baseManifest, manifestWith } from './base-manifest.js';
import { edited, pathsIn } from './edits.js';
import { SAMPLES } from './samples.js';

/** The long form runs with `npm run test:deep`. */
const DEEP = process.env.DEEP === '1';

jest.setTimeout(DEEP ? 300_000 : 60_000);

/** How many automations trigger each other in a cycle. */
const CIRCLE = DEEP ? 5_000 : 1_000;

/** Length of each list: enough to distinguish linear from quadratic time; in the long form the maximum. */
const MANY = DEEP ? 45_000 : 6_000;

function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

const CYCLIC: Record<string, unknown> = { ...baseManifest };
CYCLIC.listing = CYCLIC;

const many = <T>(make: (i: number) => T, count = MANY): T[] => Array.from({ length: count }, (_, i) => make(i));
/** Very many members of an object. */
const named = (name: (i: number) => string, value: unknown) => Object.fromEntries(many((i) => [name(i), value]));
const hooked = (...actions: object[]) => ({
  automations: [{ key: 'a', trigger: { type: 'webhook_received', payload: [] }, actions }],
});

function shape({ checks }: Certification) {
  return checks.find(({ id }) => id === 'MAN-001');
}

describe('hostile manifests', () => {
  it('leave others their turn: each check and each formula begins in a piece of its own', async () => {
    const source = Array.from({ length: 240 }, () => '1').join('+');
    const fields = Array.from({ length: 80 }, (_, i) => ({ apiName: `f${i}`, type: 'formula', expression: source }));
    let [turns, isDone] = [0, false];
    const countTurns = async (): Promise<void> => {
      for (; !isDone; turns += 1) await setImmediate();
    };
    const counted = countTurns();
    await certify(manifestWith({ objects: [{ apiName: 'a', fields }] }), { mode: 'certification' });
    isDone = true;
    await counted;
    expect(turns).toBeGreaterThan(CHECKS.length);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['nothing', undefined],
    ['a number', 7],
    ['a text', 'manifest'],
    ['a list', []],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a function', () => 1],
    ['a big number', { ...baseManifest, name: 1n }],
    ['a number that is not finite', { ...baseManifest, name: Number.NaN }],
    ['a deep one', { ...baseManifest, listing: nested(20_000) }],
    ['a circle', CYCLIC],
    ['a huge list', { ...baseManifest, webhooks: new Array(200_000).fill('a') }],
    ['a huge text', { ...baseManifest, name: 'a'.repeat(5_000_000) }],
    ['a key __proto__', JSON.parse('{"key":"a","__proto__":{"name":"b"}}')],
    ['a key __proto__ further inside', JSON.parse('{"objects":[{"fields":[{"__proto__":{"type":"text"}}]}]}')],
    ['half a surrogate pair', { ...baseManifest, name: 'a\ud800' }],
    ['half a surrogate pair in a key', { ...baseManifest, 'a\udc00': 1 }],
    ['U+0000', { ...baseManifest, name: 'a\u0000' }],
  ])('rejects %s with a clear message', async (_what, manifest) => {
    const certification = await certify(manifest, { mode: 'submission', reviewPacket: {} });
    expect(certification.passed).toBe(false);
    const message = expect.stringMatching(/\.( \(and \d+ more\))?$/);
    expect(shape(certification)).toMatchObject({ status: 'fail', message });
    expect(() => JSON.stringify(certification)).not.toThrow();
  });

  it('treats names of prototype members as ordinary names', async () => {
    const manifest = manifestWith({ constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: null });
    const certification = await certify(manifest, { mode: 'certification' });
    const pointers = shape(certification)?.findings.map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/constructor', '/hasOwnProperty', '/toString', '/valueOf']);
  });

  it('rejects a hostile review packet with a clear message', async () => {
    const reviewPacket = { demoVideo: nested(20_000) };
    const { passed, checks } = await certify(baseManifest, { mode: 'submission', reviewPacket });
    expect(passed).toBe(false);
    expect(checks.find(({ id }) => id === 'REV-001')).toMatchObject({ status: 'fail' });
  });

  const circle = () =>
    many((i) => {
      const actions = [{ type: 'emit_event', name: `a.b${(i + 1) % CIRCLE}` }];
      return { key: `a${i}`, trigger: { type: 'event', event: `a.b${i}` }, actions };
    }, CIRCLE);
  const referenceTo = (referenceTarget: string) => ({ apiName: 'a', type: 'reference', referenceTarget });
  const objectsWith = (fields: (i: number) => object[]) => ({
    objects: many((i) => ({ apiName: `o${i}`, fields: fields(i) }), MANY / 3),
  });
  const inputSchema = {
    $id: `https://a.example.com/${'a'.repeat(400_000)}`,
    type: 'object',
    $defs: Object.fromEntries(many((i) => [`d${i}`, { $id: `?${i}`, $ref: '?' }])),
  };
  it.each<[string, Record<string, unknown>]>([
    ['objects', { objects: many((i) => ({ apiName: `lead${i}`, nameField: 'x', fields: [] }), MANY / 3) }],
    ['unknown keys', named((i) => `k${i}`, 0)],
    ['unknown scopes', { permissions: many((i) => `leads${i}`) }],
    ['unknown events', { webhooks: [{ url: 'https://a.example.com/', events: many((i) => `lead.made${i}`) }] }],
    ['produced events', { service: { produces: many((i) => `a.b${i}`) } }],
    ['values of an action', hooked({ type: 'create_record', object: 'visit', values: named((i) => `v${i}`, '{{a}}') })],
    ['automations in circles', { service: { produces: many((i) => `a.b${i}`, CIRCLE) }, automations: circle() }],
    ['placeholders', hooked({ type: 'create_task', title: '{{a}}'.repeat(MANY * 6) })],
    ['references to objects', objectsWith((i) => [referenceTo(`custom:o${MANY / 3 - 1 - i}`)])],
    ['scopes that are used and not requested', { permissions: many((i) => `leads${i}`), ...objectsWith(() => []) }],
    ['parts of a schema with addresses, below a long one', { assistant: { tools: [{ name: 'find', inputSchema }] } }],
    ['beginnings of tokens', { listing: { summary: 'eyJaaaaaaaaaa-'.repeat(MANY * 3) } }],
    ['open braces', { listing: { summary: '{{'.repeat(MANY * 10), description: 'a'.repeat(MANY * 20) } }],
  ])('ends in linear time with very many %s', async (_what, fragment) => {
    const startedAt = performance.now();
    const certification = await certify(manifestWith(fragment), { mode: 'certification' });
    expect(certification.checks.every(({ findings }) => findings.length <= 100)).toBe(true);
    // Each takes well under a second; the limit only distinguishes linear from quadratic time on a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(DEEP ? 20_000 : 5_000);
  });

  it.each([
    ['changed', 'p'],
    ['the same', 'o'],
  ])('ends soon with very many options against the published version: %s', async (_what, letter) => {
    const picklist = (first: string) => {
      const field = { apiName: 'a', type: 'picklist', options: many((i) => `${first}${i}`, MANY * 3) };
      return manifestWith({ objects: [{ apiName: 'visit', fields: [field] }] });
    };
    const probes = { publishedManifest: async () => picklist('o') as unknown as Manifest };
    const startedAt = performance.now();
    await certify(picklist(letter), { mode: 'certification', probes });
    expect(performance.now() - startedAt).toBeLessThan(DEEP ? 20_000 : 5_000);
  });

  it('parses very many lines with duplicate keys in linear time', async () => {
    const text = `{"a": 0${'\n'.repeat(MANY * 300)}${',"a": 0'.repeat(150)}}`;
    const startedAt = performance.now();
    const texts = { manifest: new JsonSource(text) };
    const { certification, findings } = await certifySources(texts, { mode: 'certification' });
    expect(shape(certification)?.message).toMatch(/\(and at least 100 more\)$/);
    expect(findings[99]).toMatchObject({ line: MANY * 300 + 1, column: 100 * 7 - 5 });
    expect(performance.now() - startedAt).toBeLessThan(DEEP ? 20_000 : 5_000);
  });

  it.each<[string, (long: string) => Record<string, unknown>]>([
    ['above what is wrong', (long) => ({ body: { [long]: many(() => '{{nobody}} AKIAIOSFODNN7EXAMPLE', 200) } })],
    ['of what is wrong', (long) => ({ headers: Object.fromEntries(many((i) => [`{{${i}${long}`, '{{a}}'], 200)) })],
    ['of an object', (long) => ({ type: 'create_record', object: `x${long}`, values: {} })],
  ])('does not repeat a long name %s in the result', async (_what, more) => {
    const long = 'k/~"'.repeat(2_000);
    const automations = hooked({ type: 'http_request', url: 'https://a.example.com/', ...more(long) });
    const { checks } = await certify(manifestWith(automations), { mode: 'certification' });
    const findings = checks.flatMap((check) => check.findings);
    expect(findings.length).toBeGreaterThan(0);
    expect(Math.max(...findings.map(({ pointer }) => pointer.length))).toBeLessThanOrEqual(500);
    expect(Math.max(...findings.map(({ message }) => message.length))).toBeLessThanOrEqual(500);
  });

  it('certifies 100 objects with 2,000 fields', async () => {
    const field = (i: number, j: number) =>
      j < 15 ? { type: 'number' } : { type: 'formula', expression: `field_${j - 5} * 2 + ${i}` };
    const fields = (i: number) => many((j) => ({ apiName: `field_${j}`, ...field(i, j) }), 20);
    const objects = many((i) => ({ apiName: `object_${i}`, fields: fields(i) }), 100);
    const { passed } = await certify(manifestWith({ objects, automations: undefined }), { mode: 'certification' });
    expect(passed).toBe(true);
  });
});

/** One value of each JSON type; the schema distinguishes integers from fractions. */
const ONE_OF_EACH_TYPE = [null, true, 7, 0.5, 'text', '', [], ['text'], {}, { key: 'value' }];

/** Every passing sample in the long form, every sixth in the short one. */
const GOOD = [baseManifest, ...SAMPLES.filter((_, i) => DEEP || i % 6 === 0).map(({ passes }) => manifestWith(passes))];

async function expectResult(manifest: unknown): Promise<void> {
  const { checks, summary } = await certify(manifest, { mode: 'submission' });
  expect(summary.passed + summary.failed + summary.skipped).toBe(checks.length);
}

describe('mutation', () => {
  it('never throws when a value of any type replaces any one value of a manifest', async () => {
    for (const manifest of DEEP ? GOOD : [baseManifest]) {
      for (const path of pathsIn(manifest)) {
        for (const value of ONE_OF_EACH_TYPE) await expectResult(edited(manifest, path, { value }));
      }
    }
  });

  it('never throws when any value replaces any one value of a manifest', async () => {
    const mutant = fc
      .constantFrom(...GOOD)
      .chain((manifest) => fc.tuple(fc.constant(manifest), fc.constantFrom(...pathsIn(manifest)), fc.jsonValue()));
    await fc.assert(
      fc.asyncProperty(mutant, ([manifest, path, value]) => expectResult(edited(manifest, path, { value }))),
      { numRuns: DEEP ? 20_000 : 200 },
    );
  });

  it('returns a result for any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { passed } = await certify(value, { mode: 'submission', reviewPacket: value });
        expect(passed).toBe(false);
      }),
      { numRuns: DEEP ? 5_000 : 100 },
    );
  });
});
