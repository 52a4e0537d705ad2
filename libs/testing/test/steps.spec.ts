import { type MigrationClass, ServiceMigration } from '@crm/database';
import { expect, it } from '@jest/globals';
import { stepProblems } from '../src/index.js';

type Runner = Parameters<ServiceMigration['up']>[0];

const stepOf = (sql: string): MigrationClass =>
  class Later1800000000000 extends ServiceMigration {
    async up(runner: Runner): Promise<void> {
      await runner.query(sql);
    }
  };
const problemsOf = async (sql: string) =>
  (await stepProblems([stepOf('DROP TABLE of_the_first_step'), stepOf(sql)])).map(
    (problem) => problem.split(/[:,]/)[0],
  );

it.each([
  ['CREATE INDEX ON lead (tenant_id, place)', 'makes an index without CONCURRENTLY'],
  ['CREATE UNIQUE INDEX lead_place ON lead (tenant_id, place)', 'makes an index without CONCURRENTLY'],
  ['ALTER TABLE lead DROP COLUMN place', 'takes away what the version before uses'],
  ['ALTER TABLE lead RENAME COLUMN place TO at', 'takes away what the version before uses'],
  ['ALTER TABLE lead ALTER COLUMN size DROP DEFAULT', 'takes away what the version before uses'],
  ['DROP FUNCTION start_runs', 'takes away what the version before uses'],
  ['ALTER TABLE lead ALTER COLUMN place TYPE varchar(9)', 'changes the type of a column'],
  ['ALTER TABLE lead ALTER place SET NOT NULL', 'refuses what the version before writes'],
  ['ALTER TABLE lead ADD COLUMN place text NOT NULL', 'adds a column that the version before does not fill in'],
  ['ALTER TABLE lead ADD CONSTRAINT c CHECK (place <> $$$$)', 'reads the whole table while everybody waits'],
])('a later step %s has to say why', async (sql, problem) => {
  expect(await problemsOf(sql)).toEqual([`Later1800000000000 ${problem}`]);
  expect(await problemsOf(`-- accepted: the table is empty\n${sql}`)).toEqual([]);
});

it.each([
  'CREATE INDEX CONCURRENTLY ON lead (tenant_id, place)',
  "ALTER TABLE lead ADD COLUMN place text, ADD COLUMN size integer NOT NULL DEFAULT 0, ADD COLUMN of text DEFAULT 'a' NOT NULL",
  'ALTER TABLE lead ADD CONSTRAINT c CHECK (place IS NOT NULL) NOT VALID',
  'ALTER TABLE lead ALTER COLUMN place DROP NOT NULL',
  'CREATE TABLE visit (id uuid NOT NULL); CREATE INDEX ON visit (id); ALTER TABLE visit ADD CONSTRAINT c CHECK (true)',
  'CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $body$ BEGIN DROP TABLE lead; END $body$',
])('a later step %s leaves what runs beside it working', async (sql) => {
  expect(await problemsOf(sql)).toEqual([]);
});
