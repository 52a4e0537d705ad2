import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventScope } from '@crm/contracts';
import { expect, it } from '@jest/globals';
import { EVENT_TYPES, type EventType } from '../src/subscriptions/event-type.js';

const INTRODUCTION = `# Events

This page is generated from the definitions in \`libs/contracts/src/events\`. The same catalogue is
\`GET /api/webhooks/event-types\`, for administrators.

## Subscribing

A subscription (\`POST /api/webhooks/subscriptions\`) and a webhook of an app's manifest name events:

\`\`\`json
{ "events": ["lead.*", "deal.won"], "url": "https://hooks.example.com/crm" }
\`\`\`

\`lead.created\` is one event. \`lead.*\` is every event of the domain \`lead\`, also those that are added to it later, so its
receiver must accept a \`type\` that it does not know. There is no pattern for all domains. When several names match an event,
the subscription still gets one delivery. A filter is checked against the data of every event that the names stand for. The
trigger of a workflow names one event.

An app needs the scope of the domain, for one of its events as for all of them:`;

const BODY = `Scopes are not all that decides: events of custom objects reach only the apps that can see the object, and events of an
endpoint (\`webhook.*\`) only the app that it belongs to; those of a submission (\`submission.*\`) reach no app.
Subscriptions of the workspace get every event.

## The body of a delivery

| member | |
|---|---|
| \`id\` | id of the event, the same in every attempt; also the header \`webhook-id\`. It identifies a repeated delivery |
| \`type\` | name of the event |
| \`timestamp\` | when it happened |
| \`tenantId\` | the workspace |
| \`dataschema\` | the event and its version; the \`$id\` of the schema of \`data\` |
| \`object\` | for records of custom objects only: API name of the object |
| \`data\` | the record, or what the event describes |

The data of a record event are the fields that every role can read. On updates, \`changed\` names the fields whose values
changed and \`previous\` has their previous values; when both states are too long for one message, \`previous\` is empty and
\`previousOmitted\` is true. Members can be added to a version of an event; receivers ignore those that they do not know. Any
other change is a new version.

## Verifying a delivery

Three headers follow [Standard Webhooks](https://www.standardwebhooks.com/): \`webhook-id\`, \`webhook-timestamp\` (Unix seconds
of the attempt) and \`webhook-signature\`, one or more signatures of \`<id>.<timestamp>.<body>\` with spaces between them:

| signature | scheme | the receiver holds |
|---|---|---|
| \`v1,…\` | HMAC-SHA256 with the decoded secret | the secret, \`whsec_…\` |
| \`v1a,…\` | Ed25519 | the public key, \`whpk_…\` |

During a rotation there is a signature for each valid secret: accept the delivery when one of them matches and the timestamp
differs from the present by no more than five minutes. With a shared secret there is also
\`x-platform-signature: t=<timestamp>,v1=<hex>\`, HMAC-SHA256 of \`<timestamp>.<body>\` keyed with the text of the whole secret,
\`whsec_\` included.`;

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** The reference of events: how they are named, and each with its body. */
function eventsPage(): string {
  const domains = [...new Set(EVENT_TYPES.map(({ domain }) => domain))];
  return `${[
    INTRODUCTION,
    scopesTable(domains),
    BODY,
    ...domains.flatMap((domain) => [
      `## \`${domain}.*\``,
      ...EVENT_TYPES.filter((type) => type.domain === domain).map(section),
    ]),
  ].join('\n\n')}\n`;
}

function scopesTable(domains: readonly string[]): string {
  const rows = domains.map((domain) => {
    const scope = eventScope(`${domain}.*`);
    return `| \`${domain}.*\` | ${scope === undefined ? 'none' : `\`${scope}\``} |`;
  });
  return ['| events | scope |', '|---|---|', ...rows].join('\n');
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
  const page = eventsPage();
  if (process.env.WRITE_DOCS) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(path.join(FOLDER, 'events.md'), page);
  }
  const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, name]) => name);
  expect(headings.sort()).toEqual(EVENT_TYPES.map(({ name }) => name).sort());
});
