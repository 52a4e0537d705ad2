import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { APP_KINDS } from '@crm/manifest';
import { afterAll, describe, expect, it } from '@jest/globals';
import { examplePath, exampleText, lastLine, Workspace } from './command.js';

const workspace = new Workspace();
afterAll(() => workspace.remove());

const FOLDERS = ['ai-assistant', 'data-connector', 'event-service', 'industry-app'];
const good = exampleText('industry-app');

/** The example with parts of its text replaced. */
function changed(...replacements: [from: string, to: string][]): string {
  return replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`);
    return text.replace(from, () => to);
  }, good);
}

const NO_SUPPORT: [from: string, to: string] = ['"supportEmail": "support@acme.example.com",', ''];
const UNKNOWN_KEY = changed(['"webhooks": [', '"webhook": [']);
/** An output without the verdict, which counts the checks and has the hash of the package. */
const findings = (out: string) => out.split('\n\n').slice(0, -1).join('\n\n');

describe('crm-dev certify', () => {
  it.each(FOLDERS)('passes the example %s, with and without its review packet', async (folder) => {
    for (const review of [[], ['--review', examplePath(folder, 'review-packet.json')]]) {
      const { status, out, err } = await workspace.run(['certify', examplePath(folder), ...review]);
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(lastLine(out)).toMatch(/^PASS [a-z-]+@\d+\.\d+\.\d+ /);
      expect(/skipped .*REV-001/.test(out)).toBe(review.length === 0);
    }
  });

  it('certifies several packages, each with its verdict', async () => {
    const bad = workspace.write('several.json', changed(['"name": "Acme Site Visits"', '"name": 7']));
    const { status, out } = await workspace.run(['certify', examplePath('event-service'), bad]);
    expect(status).toBe(1);
    const verdicts = ['PASS lumen-lead-scoring@2.0.1', 'FAIL acme-site-visits@1.0.0'];
    expect(out.match(/^(?:PASS|FAIL) [^ ]+/gm)).toEqual(verdicts);
  });

  it.each<[string, string]>([
    ['an unknown key', UNKNOWN_KEY],
    ['a misspelt field in a step', changed(['"title": "{{subject}}", "hours"', '"titel": "{{subject}}", "hours"'])],
    ['a private target', changed(['https://hooks.acme.example.com/site-visits/events', 'https://169.254.169.254/'])],
    ['findings of every severity', changed(NO_SUPPORT, ['"scope": "leads:read"', '"scope": "companies:read"'])],
    ['a duplicate key', changed(['"name": "Acme Site Visits",', '"name": "A",\n  "name": "Acme Site Visits",'])],
    [
      'a trailing comma',
      changed(['"release": { "notes": "First version." }', '"release": { "notes": "First version.", }']),
    ],
    ['an empty file', ''],
    [
      'wide characters and tabs before the finding',
      changed(['"name": "Acme Site Visits",', '\t"listin": {"summary": "客户 👍"}, "namen": 1,']),
    ],
    ['control characters', changed(['"name": "Acme Site Visits"', '"name\\u001b[2J\\u202e": "Acme"'])],
  ])('shows the findings for %s', async (what, text) => {
    const file = workspace.write(`${what.replaceAll(' ', '-')}.json`, text);
    const { status, out, err } = await workspace.run(['certify', file]);
    expect({ status, err }).toEqual({ status: 1, err: '' });
    expect(findings(out)).toMatchSnapshot();
    const found = (severity: string) => out.match(new RegExp(`^~\\S+ ${severity} `, 'gm'))?.length ?? 0;
    expect(lastLine(out)).toContain(`; warnings: ${found('warning')}; advice: ${found('advice')}; suite 1.5.0`);
    expect(out).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
  });

  it('truncates a long line around the finding', async () => {
    const minified = JSON.stringify(JSON.parse(UNKNOWN_KEY));
    const file = workspace.write('minified.json', minified);
    const { out } = await workspace.run(['certify', file], { columns: 80 });
    expect(findings(out)).toMatchSnapshot();
    const lines = out.split('\n').filter((line) => line.includes(' |'));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('shows 20 findings of a check and how many more there are', async () => {
    const keys = Array.from({ length: 30 }, (_, i) => `"unknown_${i}": ${i},`).join('\n');
    const file = workspace.write('many.json', changed(['"name": "Acme Site Visits",', `"name": "A",\n${keys}`]));
    const { out } = await workspace.run(['certify', file]);
    expect(out.match(/blocker MAN-001/g)).toHaveLength(20);
    expect(out).toContain('… and 10 more for MAN-001');
    const many = Array.from({ length: 300 }, (_, i) => `"unknown_${i}": ${i},`).join('\n');
    const larger = workspace.write('more.json', changed(['"name": "Acme Site Visits",', `"name": "A",\n${many}`]));
    expect((await workspace.run(['certify', larger])).out).toContain('… and at least 80 more for MAN-001');
  });

  it('uses colours when the terminal supports them', async () => {
    const file = workspace.write('colours.json', UNKNOWN_KEY);
    const { out } = await workspace.run(['certify', file], { colours: true });
    expect(stripVTControlCharacters(out)).toBe((await workspace.run(['certify', file])).out);
    const bold = ['~/colours.json:103:3', 'MAN-001'].map((text) => `[1m${text}[22m`);
    const red = ['blocker', '^^^^^^^^^', 'FAIL'].map((text) => `[31m${text}[39m`);
    for (const marked of [...bold, ...red, '[2m103 |[22m', '[36madvice[39m']) {
      expect(out).toContain(marked.replaceAll('[', '\u001b['));
    }
  });

  it('shows findings about the review packet at their place in the packet', async () => {
    const packet = workspace.write('packet.json', '{\n  "demoVideo": "ftp://a",\n  "sandboxAttestation": true\n}\n');
    const { status, out } = await workspace.run(['certify', examplePath('industry-app'), '--review', packet]);
    expect(status).toBe(1);
    expect(out.replaceAll(/^.*examples/gm, 'examples')).toMatchSnapshot();
  });
});

describe('crm-dev certify --json', () => {
  it('prints the certification with positions, and the verdict on standard error', async () => {
    const file = workspace.write('json.json', UNKNOWN_KEY);
    const { status, out, err } = await workspace.run(['certify', '--json', file]);
    expect({ status, err: err.slice(0, 29) }).toEqual({ status: 1, err: 'FAIL acme-site-visits@1.0.0 (' });
    const result = JSON.parse(out);
    expect(result).toMatchObject({ file: '~/json.json', passed: false, suiteVersion: '1.5.0' });
    expect(result.checks).toHaveLength(31);
    expect(result.findings).toContainEqual(
      expect.objectContaining({ check: 'MAN-001', pointer: '/webhook', column: 3, length: 9 }),
    );
  });

  it('prints a list for several packages', async () => {
    const { out } = await workspace.run(['certify', '--json', ...FOLDERS.map((folder) => examplePath(folder))]);
    expect(JSON.parse(out).map(({ passed }: { passed: boolean }) => passed)).toEqual([true, true, true, true]);
  });
});

describe('crm-dev certify --junit', () => {
  it('prints one case per check, with only blockers as failures', async () => {
    const text = changed(['"webhooks": [', '"web<hook>": ['], NO_SUPPORT);
    const { status, out, err } = await workspace.run(['certify', '--junit', workspace.write('junit.json', text)]);
    expect(status).toBe(1);
    expect(err).toMatch(/^FAIL /);
    const start = '^ +<testcase name="[A-Z]{2,3}-\\d{3} [^"]+" classname="(?:blocker|warning|advice)"';
    const passed = new RegExp(`${start}/>\n`, 'gm');
    const skipped = new RegExp(`${start}><skipped message="[^"]+"/></testcase>\n`, 'gm');
    expect([out.match(passed), out.match(skipped)].map((cases) => cases?.length)).toEqual([21, 7]);
    expect(out.replace(passed, '').replace(skipped, '')).toMatchSnapshot();
  });

  it('prints valid XML whatever the names in the package and of the file', async () => {
    const keys = ['\u0001', '\u001b[2J', '\u007f', '\u009b', '\ufffe', '\uffff', ']]>', '\u2028'];
    const members = keys.map((key) => `${JSON.stringify(`k${key}`)}: 1,`).join('');
    const text = changed(['"name": "Acme Site Visits",', `"name": "A\\u0001\\uffff",${members}`]);
    const file = workspace.write('control\u0001\ufffe<name>.json', text);
    const { out } = await workspace.run(['certify', '--junit', file]);
    // Char of XML 1.0 without those that XML 1.1 or terminals take for controls.
    expect(out.replaceAll('\n', '')).toMatch(/^[\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd]*$/);
    expect(out).toContain('control\\u0001\\ufffe&lt;name&gt;.json:');
  });
});

describe('control characters in the name of a file', () => {
  it.each([[[]], [['--json']]])('are not printed with the options %j', async (options) => {
    const file = workspace.write('a\u001b[2J\u009b.json', changed(['"webhooks": [', '"webhook\u009b": [']));
    const { out } = await workspace.run(['certify', ...options, file]);
    expect(out).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(out).toContain('\\u001b[2J\\u009b.json');
  });
});

describe('crm-dev init', () => {
  it.each(APP_KINDS)('writes a %s that passes with its review packet', async (kind) => {
    const folder = workspace.path(`a/${kind}`);
    const out = expect.stringContaining(`Created ~/a/${kind}/app.json`);
    expect(await workspace.run(['init', '--kind', kind, folder])).toEqual({ status: 0, err: '', out });
    const [app, packet] = ['app.json', 'review-packet.json'].map((file) => path.join(folder, file));
    expect(JSON.parse(readFileSync(app!, 'utf8'))).toMatchObject({ kind });
    expect(await workspace.run(['certify', app!, '--review', packet!])).toMatchObject({ status: 0 });
  });

  it('does not overwrite existing files', async () => {
    const app = workspace.write('app.json', 'mine');
    const { status, err } = await workspace.run(['init', '--kind', 'industry_app', workspace.folder]);
    expect({ status, err }).toEqual({ status: 2, err: '~/app.json already exists. Nothing was overwritten.\n' });
    expect(readFileSync(app, 'utf8')).toBe('mine');
  });
});
