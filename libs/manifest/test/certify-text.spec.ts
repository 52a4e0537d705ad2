import { describe, expect, it } from '@jest/globals';
import { certify, certifySources, JsonSource, locateFindings } from '../src/index.js';
import { baseManifest, type Fragment, manifestWith } from './base-manifest.js';
import { SAMPLES } from './samples.js';

function certified(manifest: string, reviewPacket?: string) {
  const packet = reviewPacket && { reviewPacket: new JsonSource(reviewPacket) };
  return certifySources({ manifest: new JsonSource(manifest), ...packet }, { mode: 'certification' });
}

/** The findings of a check about a text as `line:column+length message`. */
async function findings(source: string, check = 'MAN-001', reviewPacket?: string): Promise<string[]> {
  const result = await certified(source, reviewPacket);
  return result.findings
    .filter((finding) => finding.check === check)
    .map(({ line, column, length, message }) => `${line}:${column}+${length} ${message}`);
}

/** The base package with each section on its own line, the changed ones at the end. */
function source(fragment: Fragment): string {
  const { ...manifest } = manifestWith({});
  for (const key of Object.keys(fragment)) delete manifest[key];
  const sections = Object.entries({ ...manifest, ...fragment }).filter(([, value]) => value !== undefined);
  return `{\n${sections.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(',\n')}\n}`;
}

const LAST = Object.keys(baseManifest).length + 1;

describe('certifySources', () => {
  it('returns the result of certify with positions', async () => {
    for (const { passes, fails } of SAMPLES.slice(0, 40)) {
      for (const fragment of [passes, fails]) {
        const text = JSON.stringify(manifestWith(fragment), null, 2);
        const { certification } = await certified(text);
        expect(certification).toEqual(await certify(JSON.parse(text), { mode: 'certification' }));
      }
    }
  });

  const KINDS = 'This must be one of data_connector, industry_app, ai_assistant, event_service.';
  const FORM = 'Invalid format.';
  const DOTTED = 'three numbers separated by dots';
  const WORDS = 'lower-case words joined by hyphens';
  const EVENTS = '"events": ["lead.created"]';
  const URL = '"url": "https://hooks.acme.example.com/events"';
  const TITLE = { apiName: 'title', type: 'text', validationRules: [{ type: 'max', value: true }] };
  const VISIT = { apiName: 'visit', fields: [TITLE] };
  it.each<[string, Fragment, string]>([
    ['an unknown key', { webhook: [] }, ':1+9 Unknown key "webhook". Did you mean "webhooks"?'],
    ['an unknown key far from all others', { zzzzzz: 1 }, ':1+8 Unknown key "zzzzzz".'],
    ['a wrong type', { name: 7 }, ':9+1 This must be a string. Example: "Acme Site Visits".'],
    ['an object instead of a list', { webhooks: {} }, `:13+2 This must be a list. Example: [{ ${EVENTS}, ${URL} }].`],
    ['a version', { version: '1.0' }, `:12+5 ${FORM} It must be a semantic version: ${DOTTED}. Example: "1.0.0".`],
    ['a key', { key: 'Acme' }, `:8+6 ${FORM} It must consist of ${WORDS}. Example: "acme-site-visits".`],
    ['a kind', { kind: 'industry' }, `:9+10 ${KINDS}`],
    ['a kind with a misspelling', { kind: 'industri_app' }, `:9+14 ${KINDS} Did you mean "industry_app"?`],
    ['a manifest version', { manifestVersion: 2 }, ':20+1 This must be 1.'],
    ['an empty name', { name: '' }, ':9+2 This string must not be empty.'],
    ['a long name', { name: 'a'.repeat(81) }, ':9+83 This string must be 80 characters or fewer.'],
    ['a key of it', { listing: { sumary: '' } }, ':13+8 Unknown key "sumary". Did you mean "summary"?'],
    ['a rule', { objects: [VISIT] }, ':116+4 This must be a number or a string. Example: 1.'],
    ['a missing key', { webhooks: [{ events: [] }] }, `:14+13 Missing key "url". Example: ${URL}.`],
    [
      'a step without its type',
      { automations: [{ key: 'a', trigger: { type: 'schedule', cron: '0 * * * *' }, actions: [{}] }] },
      ':88+2 This must be one of create_record, update_record, create_task, http_request, send_email, emit_event, wait.',
    ],
    [
      'a trigger',
      { automations: [{ key: 'a', trigger: { type: 'events' }, actions: [] }] },
      ':46+8 This must be one of webhook_received, event, schedule. Did you mean "event"?',
    ],
  ])('reports the problem, its position and an example: %s', async (_what, fragment, expected) => {
    const line = Object.keys(fragment)[0]! in baseManifest ? LAST : LAST + 1;
    expect(await findings(source(fragment))).toEqual([`${line}${expected}`]);
  });

  it('points to the key when a name is wrong, and to the value otherwise', async () => {
    const actions = [{ type: 'create_record', object: 'visit', values: { titel: '{{subject}}', hours: '{{hour}}' } }];
    const trigger = { type: 'webhook_received', payload: [{ name: 'subject', type: 'text' }] };
    const text = source({ automations: [{ key: 'a', trigger, actions }] });
    const [field] = await findings(text, 'MAN-004');
    const [placeholder] = await findings(text, 'AUT-001');
    const columns = [field, placeholder].map((finding) => Number(/:(\d+)\+/.exec(finding!)?.[1]));
    const line = text.split('\n')[LAST - 1]!;
    expect(columns.map((column) => line.slice(column - 1, column + 6))).toEqual(['"titel"', '"{{hour']);
  });

  it('rejects a duplicate key and runs no further checks', async () => {
    const text = '{\n  "key": "acme-visits",\n  "name": "A",\n  "key": "acme"\n}';
    const { certification, findings: found } = await certified(text, '{}');
    expect(certification).toMatchObject({ passed: false, manifestSha256: null, summary: { failed: 1 } });
    expect(found).toEqual([
      {
        check: 'MAN-001',
        title: 'The manifest matches the package schema',
        severity: 'blocker',
        docUrl: '/docs/certification/MAN-001',
        document: 'manifest',
        pointer: '/key',
        message: 'The key "key" appears twice in this object, first in line 2.',
        line: 4,
        column: 3,
        length: 5,
      },
    ]);
  });

  it('locates each occurrence of a key that appears more than twice', async () => {
    const message = 'The key "a" appears twice in this object, first in line 1.';
    expect(await findings('{"a": 1,\n"a": 2,\r\n "a": 3}')).toEqual([`2:1+3 ${message}`, `3:2+3 ${message}`]);
    const long = `"${'k'.repeat(1000)}"`;
    expect(await findings(`{${long}: 1,\n${long}: 2}`)).toEqual([
      `2:1+1002 The key "${'k'.repeat(79)}…" appears twice in this object, first in line 1.`,
    ]);
  });

  it('locates problems that are found before the schema is checked', async () => {
    const message = '2:10+8 The text contains U+0000, U+10FFFF, or half of a surrogate pair.';
    expect(await findings('{\n "name": "\\ud800"\n}')).toEqual([message]);
    expect(await findings('{\n "name": \n')).toEqual(['3:1+1 The document ends where a value is expected.']);
  });

  it('locates findings about the review packet in its text', async () => {
    const packet = '{\n  "demoVideo": "http://a.example.com",\n  "sandboxAttestation": true\n}';
    expect(await findings(source({}), 'REV-001', packet)).toEqual([
      '2:16+22 The demo video must be an https URL.',
      '1:1+1 "securityQuestionnaire" is missing or empty.',
      '1:1+1 "testInstructions" is missing or empty.',
    ]);
    const missing = '1:15+1 A value is missing before this "}".';
    expect(await findings(source({}), 'REV-001', '{"demoVideo": }')).toEqual([missing]);
  });

  it('locates the findings of a certification that ran elsewhere', async () => {
    const text = source({ name: 7 });
    const certification = await certify(JSON.parse(text), { mode: 'submission' });
    const transported = JSON.parse(JSON.stringify(certification));
    const located = locateFindings(transported, { manifest: new JsonSource(text) });
    expect(located).toContainEqual(expect.objectContaining({ check: 'MAN-001', line: LAST, column: 9, length: 1 }));
    expect(located).toContainEqual(expect.objectContaining({ check: 'REV-001', line: 1, column: 1 }));
  });
});
