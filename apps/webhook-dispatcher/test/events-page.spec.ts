import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventScope } from '@crm/contracts';
import { expect, it } from '@jest/globals';
import { EVENT_TYPES, type EventType } from '../src/subscriptions/event-type.js';

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** The reference of events: how they are named, and each with its body. */
async function eventsPage(): Promise<string> {
  const domains = [...new Set(EVENT_TYPES.map(({ domain }) => domain))];
  const scopes = domains.map((domain) => {
    const scope = eventScope(`${domain}.*`);
    return `| \`${domain}.*\` | ${scope === undefined ? 'none' : `\`${scope}\``} |`;
  });
  const events = domains.flatMap((domain) => [
    `## \`${domain}.*\``,
    ...EVENT_TYPES.filter((type) => type.domain === domain).map(section),
  ]);
  const template = await readFile(path.join(import.meta.dirname, 'events-page.md'), 'utf8');
  return template
    .replace('{{scopes}}', ['| events | scope |', '|---|---|', ...scopes].join('\n'))
    .replace('{{events}}', () => events.join('\n\n'));
}

function section({ name, dataschema, description, schema, example }: EventType): string {
  return [
    `### \`${name}\``,
    `${description}. \`${dataschema}\``,
    json(example),
    `<details>\n<summary>Schema of <code>data</code></summary>\n\n${json(schema)}\n\n</details>`,
  ].join('\n\n');
}

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/reference');

it('the page of events has a section for each (npm run docs -- events writes it)', async () => {
  const page = await eventsPage();
  if (process.env.WRITE_DOCS) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(path.join(FOLDER, 'events.md'), page);
  }
  const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, name]) => name);
  expect(headings.sort()).toEqual(EVENT_TYPES.map(({ name }) => name).sort());
});
