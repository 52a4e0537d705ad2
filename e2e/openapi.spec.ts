import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isEventPattern } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { run } from '../scripts/processes/run.mjs';
import { inRoot } from '../scripts/root.mjs';
import { addresses } from './platform/addresses.js';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly $ref: string }>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly content?: Record<string, Media> }>;
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: object; readonly examples: Record<string, { readonly value: unknown }> };
}

describe.each([
  ['baseUrl', 'post /api/crm/leads body'],
  ['embedApiUrl', 'post /api/auth/v1/embed/sessions body'],
  ['adminUrl', 'post /api/auth/login body'],
] as const)('the OpenAPI document at %s', (address, known) => {
  const read = async (): Promise<Document> =>
    (await (await fetch(`${addresses[address]}/api/openapi.json`)).json()) as Document;

  /** Every place of the document that has a schema and an example of it. */
  const shownIn = ({ paths }: Document) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody, responses }]) => [
        ...mediaOf(`${method} ${path} body`, requestBody?.content),
        ...Object.entries(responses).flatMap(([status, { content }]) =>
          mediaOf(`${method} ${path} ${status}`, content),
        ),
      ]),
    );

  /** Every success that has a body, of JSON unless it says otherwise. */
  const successesIn = ({ paths }: Document) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses)
          .filter(([status]) => status.startsWith('2') && status !== '204')
          .filter(([, { content }]) => content === undefined || 'application/json' in content)
          .map(([status]) => `${method} ${path} ${status}`),
      ),
    );

  const mediaOf = (at: string, content: Record<string, Media> = {}) =>
    Object.entries(content).map(([type, media]) => ({ at, type, media }));

  it('shows an example of every body, and each follows its schema', async () => {
    const document = await read();
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    const places = shownIn(document).filter(({ type }) => type !== 'application/problem+json');
    const problems = places.flatMap(({ at, media }) => {
      if (media.example === undefined) return [`${at} has no example`];
      const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/components/', '"document#/components/'));
      return ajv.validate(schema, media.example) ? [] : [`${at}: ${ajv.errorsText()}`];
    });
    expect(places.map(({ at }) => at)).toEqual(expect.arrayContaining([known, ...successesIn(document)]));
    expect(problems).toEqual([]);
  });

  it('names events of the catalogue in its examples', async () => {
    const named = (value: unknown, key = ''): unknown[] => {
      if (typeof value !== 'object' || value === null) return key === 'event' ? [value] : [];
      if (key === 'events' && Array.isArray(value)) return value;
      return Object.entries(value).flatMap(([name, member]) => named(member, name));
    };
    const names = shownIn(await read()).flatMap(({ at, media }) =>
      named(media.example).map((name) => `${at}: ${name}`),
    );
    expect(names.filter((name) => !isEventPattern(name.slice(name.lastIndexOf(' ') + 1)))).toEqual([]);
  });

  it('declares every key of every body, but for those whose keys others choose', async () => {
    const document = await read();
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    const open = shownIn(document)
      .filter(({ at, type }) => at.endsWith(' body') && type === 'application/json')
      .filter(({ media }) => {
        const schema = JSON.stringify(media.schema).replaceAll('"#/components/', '"document#/components/');
        const isAccepted = ajv.compile(JSON.parse(schema));
        return isAccepted({ ...(media.example as object), undeclared: 1 });
      });
    // Fields of records are those of the object, and upstream systems send hooks what they have.
    expect(
      open
        .map(({ at }) => at)
        .filter((at) => !/ \/api\/crm\/custom\/\{apiName\}\/records| \/api\/crm\/automations\/hooks\//.test(at)),
    ).toEqual([]);
  });

  it('names the codes that each operation refuses with', async () => {
    const { paths, components } = await read();
    const silent = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { responses }]) => !Object.keys(responses).some((status) => status.startsWith('4')))
        .map(([method]) => `${method} ${path}`),
    );
    expect(silent).toEqual([]);
    for (const [code, { value }] of Object.entries(components.examples)) expect(value).toMatchObject({ code });
  });

  it('asks for addresses and secrets in a query nowhere but in one call, which is deprecated for it', async () => {
    const { paths } = await read();
    const asking = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { parameters = [] }]) =>
          parameters.some((one) => one.in === 'query' && /mail|token|secret|password/i.test(one.name)),
        )
        .map(([method, { deprecated = false }]) => [`${method} ${path}`, deprecated]),
    );
    expect(asking).toEqual(address === 'baseUrl' ? [['get /api/auth/oidc/discover', true]] : []);
  });

  it('describes every group of operations', async () => {
    const { paths, tags } = await read();
    const used = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => operation.tags),
    );
    const described = tags.filter(({ description }) => description !== '').map(({ name }) => name);
    expect([...new Set(used)].filter((name) => !described.includes(name))).toEqual([]);
  });
});

it('passes the recommended rules of Redocly with the OpenAPI documents of the three public addresses', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-openapi-'));
  try {
    const files: string[] = [];
    for (const name of ['baseUrl', 'adminUrl', 'embedApiUrl'] as const) {
      const answer = await fetch(`${addresses[name]}/api/openapi.json`);
      expect(answer.status).toBe(200);
      files.push(path.join(folder, `${name}.json`));
      await writeFile(files.at(-1) as string, await answer.text());
    }
    // A process of its own: the linter is a package of some size, which a worker of Jest would keep.
    const { code, stdout, stderr } = await run(process.execPath, [inRoot('e2e', 'lint-openapi.mjs'), ...files]);
    expect([code, code === 0 ? '' : `${stdout}\n${stderr}`]).toEqual([0, '']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
