import pg from 'pg';
import type { EvaluationContext, JsonValue, ValueType } from '../src/ast.js';
import { formatInstant } from '../src/calendar.js';
import type { CheckedFormula } from '../src/checker.js';
import { type EmitOptions, emitSql, type SqlColumn, type SqlParameter } from '../src/sql/emit.js';
import { FORMULA_SQL_FUNCTIONS } from '../src/sql/helpers.js';
import { FIELDS, type TestRecord } from './evaluate.js';

const COLUMN_TYPES: Readonly<Record<string, string>> = {
  number: 'float8',
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamptz',
  multi_select: 'text[]',
};

export const column = (name: string): SqlColumn => ({ sql: `record.${name}`, type: FIELDS[name]! });

/** A separate database with the helper functions; `drop` removes it. Needs TEST_DATABASE_URL. */
export async function openFormulaDatabase(): Promise<FormulaDatabase> {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is missing: run through scripts/with-test-servers.mjs or npm test');
  const name = `formula_${process.pid}_${Date.now()}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const target = new URL(url);
  target.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  for (const statement of FORMULA_SQL_FUNCTIONS) await client.query(statement);
  return new FormulaDatabase(client, admin, name);
}

export class FormulaDatabase {
  constructor(
    readonly client: pg.Client,
    private readonly admin: pg.Client,
    private readonly name: string,
  ) {}

  async drop(): Promise<void> {
    await this.client.end();
    await this.admin.query(`DROP DATABASE ${this.name}`);
    await this.admin.end();
  }

  /** Replaces the records that formulas are evaluated on. */
  async store(records: readonly TestRecord[]): Promise<void> {
    const names = Object.keys(FIELDS);
    const columns = names.map((name) => `${name} ${COLUMN_TYPES[FIELDS[name]!]}`).join(', ');
    await this.client.query('DROP TABLE IF EXISTS record');
    await this.client.query(`CREATE TABLE record (id integer PRIMARY KEY, ${columns})`);
    for (const [id, record] of records.entries()) {
      const placeholders = names.map((_, index) => `$${index + 2}`).join(', ');
      // The driver writes numbers as String() does, so -0 would arrive as 0.
      const values = names.map((name) => (Object.is(record[name], -0) ? '-0' : (record[name] ?? null)));
      await this.client.query(`INSERT INTO record VALUES ($1, ${placeholders})`, [id, ...values]);
    }
  }

  /** The values of formulas for all stored records, in JSON form: one list per formula. */
  async evaluate(
    formulas: readonly CheckedFormula[],
    context: EvaluationContext,
    options: EmitOptions = {},
  ): Promise<JsonValue[][]> {
    const parameters: SqlParameter[] = [];
    const expressions = formulas.map((formula, index) => {
      const emitted = emitSql(formula, column, context, { ...options, firstParameter: parameters.length + 1 });
      parameters.push(...emitted.parameters);
      return `${readable(emitted.sql, emitted.resultType)} AS "${index}"`;
    });
    const { rows } = await this.client.query<Record<string, string | boolean | null>>(
      `SELECT ${expressions.join(', ')} FROM record ORDER BY id`,
      parameters,
    );
    return formulas.map(({ resultType }, index) => rows.map((row) => fromSql(row[index] ?? null, resultType)));
  }
}

/** The value as text, exactly: the driver would turn dates into local dates. */
function readable(sql: string, type: ValueType): string {
  if (type === 'datetime') return `(extract(epoch FROM ${sql}) * 1000)::text`;
  return type === 'boolean' ? sql : `(${sql})::text`;
}

function fromSql(value: string | boolean | null, type: ValueType): JsonValue {
  if (value === null || typeof value === 'boolean' || type === 'text' || type === 'date') return value;
  return type === 'datetime' ? formatInstant(Number(value)) : Number(value);
}
