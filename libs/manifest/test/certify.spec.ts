import { describe, expect, it } from '@jest/globals';
import { type Certification, CHECKS, type CheckResult, certify, manifestSha256 } from '../src/index.js';
import { suggestion } from '../src/problem.js';
import { baseManifest, manifestWith } from './base-manifest.js';
import { SAMPLES } from './samples.js';

/** The result of one check. */
const resultOf = ({ checks }: Certification, id: string): CheckResult => checks.find((check) => check.id === id)!;
const failedOf = ({ checks }: Certification): string[] =>
  checks.filter(({ status }) => status === 'fail').map(({ id }) => id);
const webhooksTo = (...urls: string[]) => ({ webhooks: urls.map((url) => ({ events: ['lead.created'], url })) });

describe('checks', () => {
  it('have a failing and a passing sample, except for the live check', () => {
    const tested = new Set(SAMPLES.map(({ check }) => check));
    expect(CHECKS.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual(['CON-002']);
  });

  it('are sorted by id, and each id is unique', () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it.each(SAMPLES)('$check: $what', async ({ check, pointer, packets, ...sample }) => {
    const run = async (kind: 'fails' | 'passes') => {
      const reviewPacket = packets && { reviewPacket: packets[kind] };
      const probes = { resolveHost: async () => ['1.1.1.1'], ...sample.probes };
      return resultOf(
        await certify(manifestWith(sample[kind]), { mode: 'submission', ...reviewPacket, probes }),
        check,
      );
    };
    const message = expect.stringMatching(/[.)?]$/);
    expect(await run('fails')).toMatchObject({ status: 'fail', pointer, message });
    expect(await run('passes')).toMatchObject({ status: 'pass', pointer: '', findings: [] });
  });
});

const PACKET = { demoVideo: 'https://a.example.com', securityQuestionnaire: 'a', testInstructions: 'b' };

describe('certify', () => {
  it('passes the base package and skips only checks without a probe', async () => {
    const certification = await certify(baseManifest, { mode: 'certification' });
    expect(failedOf(certification)).toEqual([]);
    const skipped = certification.checks.filter(({ status }) => status === 'skip').map(({ id }) => id);
    expect(skipped.join(' ')).toBe('CON-002 MAN-002 MAN-003 NET-003 OBJ-004 REV-001 SCP-004');
    const summary = { passed: CHECKS.length - 7, failed: 0, skipped: 7 };
    expect(certification).toMatchObject({ suiteVersion: '1.5.0', passed: true, summary });
    const result = { status: 'pass', message: 'Passed.', pointer: '', findings: [] };
    const about = { title: expect.any(String), severity: 'blocker', docUrl: '/docs/certification/AI-001' };
    expect(certification.checks[0]).toEqual({ id: 'AI-001', ...about, ...result });
  });

  it('rejects a package for a unique field that reveals its values, and only advises about a required one', async () => {
    const unique = { apiName: 'code', type: 'text', is_unique: true, readRoles: ['admin'] };
    const required = { apiName: 'a_note', type: 'text', required: true, writeRoles: ['admin'] };
    const certified = async (...fields: object[]) => {
      const manifest = manifestWith({ objects: [...(baseManifest.objects ?? []), { apiName: 'note', fields }] });
      const certification = await certify(manifest, { mode: 'certification' });
      const { severity, pointer, findings } = resultOf(certification, 'OBJ-005');
      return [certification.passed, severity, pointer, findings.length];
    };
    expect(await certified(required)).toEqual([true, 'advice', '/objects/1/fields/0/writeRoles', 1]);
    expect(await certified(required, unique)).toEqual([false, 'blocker', '/objects/1/fields/1/readRoles', 2]);
  });

  it('runs every check when all probes are given', async () => {
    const { summary } = await certify(baseManifest, {
      mode: 'submission',
      reviewPacket: { ...PACKET, sandboxAttestation: true },
      probes: {
        keyOwnership: async () => 'free',
        submittedVersions: async () => [],
        publishedManifest: async () => null,
        resolveHost: async () => ['1.1.1.1'],
      },
    });
    expect(summary).toEqual({ passed: CHECKS.length - 1, failed: 0, skipped: 1 });
  });

  it('accepts an attestation that names the hash of this manifest', async () => {
    const { manifestSha256 } = await certify(baseManifest, { mode: 'certification' });
    const other = 'a'.repeat(64);
    for (const sandboxAttestation of [
      { manifestSha256 },
      { manifestSha256, statement: `The report has the hash ${other}.` },
      { statement: `sha256_${manifestSha256}` },
      `Tested ${manifestSha256?.toUpperCase()}`,
    ]) {
      const reviewPacket = { ...PACKET, sandboxAttestation };
      expect((await certify(baseManifest, { mode: 'submission', reviewPacket })).passed).toBe(true);
    }
  });

  it('runs the semantic checks even when the shape is wrong somewhere else', async () => {
    const unknown = { events: 'lead.created', url: 'https://10.0.0.1/' };
    const misspelt = { events: [1, 'lead.create'], url: 'https://a.example.com/' };
    const formula = { apiName: 'b', type: 'formula', expression: 'c' };
    const wrong = {
      name: 7,
      colour: 'red',
      permissions: ['leads:write', 5, null],
      webhooks: [5, unknown, misspelt],
      objects: [null, { apiName: 'lead', fields: [{ apiName: 'a', type: 'nothing' }, formula] }],
    };
    const { passed, checks } = await certify(manifestWith(wrong), { mode: 'certification' });
    expect(passed).toBe(false);
    expect(Object.fromEntries(checks.map(({ id, pointer }) => [id, pointer]))).toMatchObject({
      'MAN-001': '/colour',
      'SCP-001': '/permissions/0',
      'NET-001': '/webhooks/1/url',
      'EVT-001': '/webhooks/2/events/1',
      'OBJ-001': '/objects/1/apiName',
      'OBJ-003': '/objects/1/fields/1/expression',
    });
  });

  it('returns the same result whatever the order of keys', async () => {
    const reversed = Object.fromEntries(Object.entries(baseManifest).reverse());
    const first = await certify(baseManifest, { mode: 'submission' });
    expect(await certify(reversed, { mode: 'submission' })).toEqual(first);
  });

  it('shows the same 100 findings whatever the order of keys, and counts the others', async () => {
    const keys = (count: number) => Array.from({ length: count }, (_, i) => [`unknown_${i}`, i] as const);
    const run = async (entries: readonly (readonly [string, number])[]) => {
      const manifest = { ...manifestWith({}), ...Object.fromEntries(entries) };
      return resultOf(await certify(manifest, { mode: 'submission' }), 'MAN-001');
    };
    expect((await run(keys(100))).message).toMatch(/ \(and 99 more\)$/);
    const first = await run(keys(150));
    expect(first.message).toMatch(/ \(and at least 100 more\)$/);
    expect(first.findings).toHaveLength(100);
    expect(await run(keys(150).reverse())).toEqual(first);
  });

  it('passes a package with warnings and advice', async () => {
    const manifest = manifestWith({ listing: undefined, permissions: [...baseManifest.permissions, 'companies'] });
    const certification = await certify(manifest, { mode: 'certification' });
    expect(certification.passed).toBe(true);
    expect(failedOf(certification)).toEqual(['LST-001', 'SCP-002', 'SCP-003']);
  });

  it('rejects when a probe rejects', async () => {
    const probes = { keyOwnership: () => Promise.reject(new Error('database')) };
    await expect(certify(baseManifest, { mode: 'submission', probes })).rejects.toThrow('database');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['MAN-002', { key: undefined }, 'Add a key to the manifest.'],
    ['MAN-003', { key: undefined }, 'Add a key and a valid version to the manifest.'],
    ['MAN-003', { version: '1' }, 'Add a key and a valid version to the manifest.'],
    ['MAN-005', { kind: 'other' }, 'Add a valid kind to the manifest.'],
    ['CON-002', { connector: { streams: [] } }, 'This needs a live run in a sandbox.'],
  ])('skips %s when the package lacks what the check needs: %j', async (id, fragment, message) => {
    const probes = { keyOwnership: async () => 'free' as const, submittedVersions: async () => [] };
    const certification = await certify(manifestWith(fragment), { mode: 'submission', probes });
    expect(resultOf(certification, id)).toMatchObject({ status: 'skip', message });
  });

  it('does not ask for the published version of a package without a key', async () => {
    const probes = { publishedManifest: () => Promise.reject(new Error('asked')) };
    const certification = await certify(manifestWith({ key: undefined }), { mode: 'submission', probes });
    expect(['OBJ-004', 'SCP-004'].map((id) => resultOf(certification, id).status)).toEqual(['pass', 'pass']);
  });

  it('needs no lookup for an address, and reports an unresolved name as advice', async () => {
    const manifest = manifestWith(webhooksTo('https://8.8.8.8/', 'https://gone.example.com/'));
    const probes = { resolveHost: () => Promise.reject(new Error('ENOTFOUND')) };
    const certification = await certify(manifest, { mode: 'certification', probes });
    expect(certification.passed).toBe(true);
    expect(resultOf(certification, 'NET-003').findings).toEqual([
      { pointer: '/webhooks/1/url', message: "gone.example.com doesn't resolve. Check the spelling or its DNS entry." },
    ]);
  });

  it('leaves missing names to the schema', async () => {
    const types = ['create_record', 'emit_event', 'send_email', 'http_request'];
    const actions = [...types.map((type) => ({ type })), { type: 'update_record', object: 'lead' }];
    const incomplete = {
      objects: [{ fields: [{}, { type: 'text' }, { apiName: 'a' }] }, { apiName: 'b' }],
      automations: [{}, { trigger: {} }, { key: 'k', trigger: { type: 'event' }, actions }],
      ...{ roles: [{}], webhooks: [{}], permissions: [{}], embed: {} },
      ...{ connector: { streams: [{}] }, assistant: { tools: [{}], mcpServers: [{}] } },
    };
    const failed = failedOf(await certify(manifestWith(incomplete), { mode: 'submission' }));
    expect(failed).toEqual(expect.arrayContaining(['MAN-001', 'AI-001', 'REV-001', 'SCP-005']));
    expect(failed.filter((id) => ['MAN-004', 'OBJ-002', 'NET-001', 'EVT-001', 'SCP-001'].includes(id))).toEqual([]);
  });

  it('allows the ports that the address policy lists', async () => {
    const manifest = manifestWith(webhooksTo('https://a.example.com:8443/'));
    const { passed } = await certify(manifest, { mode: 'certification', addressPolicy: { allowedPorts: [8443] } });
    expect(passed).toBe(true);
  });

  it('reports each cycle of automations once, by its shortest path', async () => {
    const on = (key: string, event: string, ...names: string[]) => ({
      key,
      trigger: { type: 'event', event },
      actions: names.map((name) => ({ type: 'emit_event', name })),
    });
    const automations = [on('a', 'x.a', 'x.b', 'x.c'), on('b', 'x.b', 'x.c'), on('c', 'x.c', 'x.a', 'x.d')];
    const other = [on('d', 'x.d', 'x.e'), on('e', 'x.e', 'x.d')];
    const manifest = manifestWith({ automations: [...automations, ...other] });
    const loops = (circle: string) =>
      `This automation can trigger itself endlessly (${circle}). Add a condition that becomes false.`;
    expect(resultOf(await certify(manifest, { mode: 'submission' }), 'AUT-002').findings).toEqual([
      { pointer: '/automations/0', message: loops('x.a → x.c → x.a') },
      { pointer: '/automations/3', message: loops('x.d → x.e → x.d') },
    ]);
  });

  it('does not pass targets whose names were not looked up', async () => {
    const run = async (...urls: string[]) => {
      const certification = await certify(manifestWith(webhooksTo(...urls)), { mode: 'certification' });
      return [certification.passed, resultOf(certification, 'NET-001').status];
    };
    expect(await run('https://a.example.com/')).toEqual([true, 'skip']);
    expect(await run('https://8.8.8.8/', 'https://[2606:4700::1111]/')).toEqual([true, 'pass']);
    expect(await run('https://a.example.com/', 'https://10.0.0.1/')).toEqual([false, 'fail']);
  });

  it('reports only the syntax error of a condition that does not parse', async () => {
    const trigger = { type: 'event', event: 'lead.updated' };
    const actions = [{ type: 'update_record', object: 'lead', id: 'x', values: {} }];
    const automations = [{ key: 'a', trigger, condition: 'FOO(', actions }];
    const failed = failedOf(await certify(manifestWith({ automations }), { mode: 'certification' }));
    expect(failed.filter((id) => id.startsWith('AUT'))).toEqual(['AUT-001']);
  });

  it('looks up each host once, and rejects a package with too many hosts', async () => {
    const asked: string[] = [];
    const probes = {
      resolveHost: async (host: string) => {
        asked.push(host);
        return ['1.1.1.1'];
      },
    };
    const urls = (count: number) => Array.from({ length: count }, (_, i) => `https://h${i}.example.com/${i}`);
    await certify(manifestWith(webhooksTo(...urls(3), ...urls(3))), { mode: 'certification', probes });
    expect(asked.sort()).toEqual(['h0.example.com', 'h1.example.com', 'h2.example.com']);
    const certification = await certify(manifestWith(webhooksTo(...urls(150))), { mode: 'certification', probes });
    const message = expect.stringContaining('100 hosts');
    expect(resultOf(certification, 'NET-001')).toMatchObject({ status: 'fail', message });
  });
});

it('the identity of a manifest is the SHA-256 of its canonical form', () => {
  expect(manifestSha256({ b: 1, a: 2 })).toBe(manifestSha256({ a: 2, b: 1 }));
  expect(manifestSha256({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});

it('a suggestion is the nearest of the first 500 names', () => {
  const many = Array.from({ length: 600 }, (_, i) => `name_${String(i).padStart(4, '0')}_x`);
  expect(suggestion('titel', ['title', 'total'])).toBe(' Did you mean "title"?');
  expect(suggestion('zzzzz', ['title'])).toBe('');
  expect(suggestion('name_0001_X', many)).toBe(' Did you mean "name_0001_x"?');
  expect(suggestion('subject', [...many, 'subjects'])).toBe('');
});
