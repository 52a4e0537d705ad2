import type { MigrationClass } from '@crm/database';

type Runner = Parameters<InstanceType<MigrationClass>['up']>[0];

/** What a step runs in an empty database. */
export async function statementsOf(Migration: MigrationClass): Promise<string[]> {
  const statements: string[] = [];
  const query = async (sql: string) => {
    statements.push(sql);
    return [];
  };
  await new Migration().up({ query, hasTable: async () => false } as unknown as Runner);
  return statements;
}

/** What programs of the version before, which go on while a step runs, would wait for or fail with; by what it looks like. */
const RULES: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/\bCREATE (UNIQUE )?INDEX (?!CONCURRENTLY)/i, 'makes an index without CONCURRENTLY: all writes to the table wait'],
  [/\b(DROP(?! NOT NULL)|RENAME)\b/i, 'takes away what the version before uses'],
  [
    /\bALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/i,
    'changes the type of a column: the table is rewritten while everybody waits',
  ],
  [/\bSET NOT NULL\b/i, 'refuses what the version before writes, and reads the whole table while everybody waits'],
  [
    /\bADD (COLUMN )?(?!CONSTRAINT\b)\w+ (?![^,]*\bDEFAULT\b)[^,]*\bNOT NULL\b/i,
    'adds a column that the version before does not fill in',
  ],
  [/\bADD CONSTRAINT\b(?![\s\S]*\bNOT VALID\b)/i, 'reads the whole table while everybody waits: add it NOT VALID'],
];
/** A statement whose author has looked at what it does, and says why it may. */
const ACCEPTED = /(--|\/\*)\s*accepted: \S/;
const BODY_OR_COMMENT = /\$(\w*)\$[\s\S]*?\$\1\$|--(?!\s*accepted: ).*/g;
const MADE = /\bCREATE TABLE (?:IF NOT EXISTS )?(?:public\.)?(\w+)/gi;

/** What is wrong with the steps after the first one, a sentence each. Tables that a step makes are nobody's yet. */
export async function stepProblems(migrations: readonly MigrationClass[]): Promise<string[]> {
  const problems: string[] = [];
  for (const Migration of migrations.slice(1)) {
    const statements = (await statementsOf(Migration)).flatMap((text) =>
      text.replace(BODY_OR_COMMENT, "''").split(';'),
    );
    const made = new Set([...statements.join(';').matchAll(MADE)].map(([, name]) => name));
    for (const statement of statements) {
      const [, table] = /\b(?:ON|ALTER TABLE)(?: ONLY)? (?:public\.)?(\w+)/i.exec(statement) ?? [];
      if (ACCEPTED.test(statement) || made.has(table)) continue;
      for (const [pattern, problem] of RULES) {
        if (pattern.test(statement)) problems.push(`${Migration.name} ${problem}: ${statement.trim()}`);
      }
    }
  }
  return problems;
}
