import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../../scripts/root.mjs';
import { addresses } from '../platform/addresses.js';

interface Operation {
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What the page sends, by method and path. */
const BODIES: Readonly<Record<string, readonly string[]>> = {
  'post /api/auth/session': ['email', 'password'],
  'post /api/auth/mfa/verify': ['challengeId', 'code'],
  'post /api/auth/mfa/enrolment': ['enrolmentToken'],
  'post /api/auth/mfa/enrolment/confirm': ['enrolmentToken', 'code'],
  'post /api/auth/password-resets': ['email'],
  'post /api/auth/password-resets/complete': ['token', 'password', 'removePasskeys'],
  'post /api/auth/invitations/accept': ['token', 'password'],
  'post /api/auth/email-change/confirm': ['token'],
  'post /api/auth/email-change/undo': ['token'],
  'post /api/auth/embed-links/undo': ['token'],
};

/** Ways in that the page offers where the API has them: all calls of one, or none. */
const OPTIONAL: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  passkeys: {
    'post /api/auth/login/passkey/options': [],
    'post /api/auth/login/passkey': ['challengeId', 'credential'],
  },
  providers: {
    'post /api/auth/oidc/discover': ['email'],
    'post /api/auth/oidc/{}/start': ['fresh'],
    'post /api/auth/oidc/exchange': ['code'],
  },
};

const document = (await (await fetch(`${addresses.baseUrl}/api/openapi.json`)).json()) as Document;
const operations = new Map(
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`, operation]),
  ),
) as Map<string, Operation>;

function schemaOf(operation: Operation | undefined): Schema {
  const schema = operation?.requestBody?.content['application/json'].schema ?? {};
  return schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema) : schema;
}

/** What of a body the API does not know, and what it asks for beyond it. */
function differences(call: string, sent: readonly string[]): string[] {
  const { properties = {}, required = [] } = schemaOf(operations.get(call));
  return [
    ...sent.filter((name) => !(name in properties)).map((name) => `${call}: ${name} is not known`),
    ...required.filter((name) => !sent.includes(name)).map((name) => `${call}: ${name} is not sent`),
  ];
}

// Calls of somebody who is signed in have the types of the document: the compiler compares them.
describe('the calls of the sign-in', () => {
  it('are those of the API, with its bodies', () => {
    expect(Object.keys(BODIES).filter((call) => !operations.has(call))).toEqual([]);
    expect(Object.entries(BODIES).flatMap(([call, sent]) => differences(call, sent))).toEqual([]);
  });

  it.each(Object.entries(OPTIONAL))('for %s are all there, or none of them is', (_, calls) => {
    const missing = Object.keys(calls).filter((call) => !operations.has(call));
    expect([[], Object.keys(calls)]).toContainEqual(missing);
    if (missing.length > 0) return;
    expect(Object.entries(calls).flatMap(([call, sent]) => differences(call, sent))).toEqual([]);
  });

  it('are all in this list', async () => {
    const source = await readFile(inRoot('apps', 'console', 'src', 'features', 'sign-in', 'sign-in.api.ts'), 'utf8');
    const made = [...source.matchAll(/['`](\/api\/[^'`?]*)/g)].map(([, address = '']) =>
      address.replaceAll(/\$\{[^}]*\}/g, '{}'),
    );
    const listed = [BODIES, ...Object.values(OPTIONAL)].flatMap(Object.keys).map((call) => call.split(' ')[1]);
    expect([...new Set(made)].sort()).toEqual([...new Set(listed)].sort());
  });
});
