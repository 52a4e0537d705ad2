import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { inRoot } from '../root.mjs';
import { withClient } from '../servers/with-client.mjs';
import { readCompose } from './compose-file.mjs';

/** @type {Record<string, string>} */
const kubernetes = parse(readFileSync(inRoot('k8s/base/postgres/cluster/cluster.yaml'), 'utf8')).spec.postgresql
  .parameters;
/** @type {string[]} */
const command = (await readCompose()).services.postgres?.command ?? [];
/** @type {Record<string, string>} */
const compose = Object.fromEntries(command.filter((part) => part.includes('=')).map((part) => part.split('=')));

const SETTINGS = {
  log_min_duration_statement: '1s',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

describe.each([
  ['Compose', compose],
  ['Kubernetes', kubernetes],
])("PostgreSQL's log in %s", (_name, settings) => {
  it('has slow statements, without what people have written', () => expect(settings).toMatchObject(SETTINGS));

  it('has no parameter of a slow statement, nor of one that fails', async () => {
    const said = await withClient(process.env.TEST_DATABASE_URL ?? '', async (client) => {
      /** @type {unknown[]} */
      const messages = [];
      // What the server logs goes to this client as well.
      client.on('notice', ({ message, detail, where }) => messages.push(message, detail, where));
      for (const name of Object.keys(SETTINGS).filter((name) => name.startsWith('log_parameter'))) {
        await client.query(`SET ${name} = '${settings[name] ?? '-1'}'`);
      }
      await client.query('SET log_min_duration_statement = 0; SET client_min_messages = log');
      await client.query('SELECT $1::text', ['ada@example.com']);
      const failed = await client.query('SELECT 1 / length($1::text) + length($2)', ['', 'ada@example.com']).then(
        () => undefined,
        (error) => error,
      );
      return JSON.stringify([messages, failed.message, failed.detail, failed.where]);
    });
    expect(said).toContain('SELECT $1::text');
    expect(said).toContain('division by zero');
    expect(said).not.toContain('ada@');
  });
});
