import pg from 'pg';
import type { MigrationInterface } from 'typeorm';
import type { Statements } from './distribution.js';

export type MigrationClass = new () => MigrationInterface;

/**
 * What a database says of itself in the comment of its table `migrations`, which every role can read: the services cannot read the
 * table, which is its owner's.
 */
interface SchemaNote {
  readonly steps: readonly string[];
  /** Steps that processes of the release before work with; written by the newest release that has migrated the database. */
  readonly tolerated: readonly string[];
}

const READ_NOTE = "SELECT obj_description(to_regclass('public.migrations'), 'pg_class') AS note";

/** A database of another version: its values may mean what this version does not know. */
export class UnknownSteps extends Error {
  constructor(readonly steps: readonly string[]) {
    super(
      `The database has steps that this version does not know: ${steps.join(', ')}. Run the version that made them, or one after it, ` +
        'or restore a backup from before them; where only a developer has data, "npm run reset" deletes it',
    );
    this.name = 'UnknownSteps';
  }
}

export const stepsOf = (migrations: readonly MigrationClass[]): string[] =>
  migrations.map((Migration) => new Migration().name ?? Migration.name);

async function readNote(runner: Statements): Promise<SchemaNote> {
  const [row] = await runner.query(READ_NOTE);
  return row?.note ? (JSON.parse(row.note as string) as SchemaNote) : { steps: [], tolerated: [] };
}

/**
 * @param ran names of the steps that have run; default: those that the database says
 * @returns whether there are steps of a newer version, which all are tolerated
 * @throws UnknownSteps that are not tolerated
 */
export async function assertStepsAreKnown(
  runner: Statements,
  migrations: readonly MigrationClass[],
  ran?: readonly string[],
): Promise<boolean> {
  const { steps, tolerated } = await readNote(runner);
  const known = new Set(stepsOf(migrations));
  const unknown = (ran ?? steps).filter((step) => !known.has(step));
  const refused = unknown.filter((step) => !tolerated.includes(step));
  if (refused.length > 0) throw new UnknownSteps(refused);
  return unknown.length > 0;
}

/** Writes the note, by the owner, when it says something else. A database of a newer version keeps that version's. */
export async function noteSteps(
  runner: Statements,
  migrations: readonly MigrationClass[],
  tolerated: readonly string[],
): Promise<void> {
  const note: SchemaNote = { steps: stepsOf(migrations), tolerated };
  const [row] = await runner.query(READ_NOTE);
  const text = JSON.stringify(note);
  if (row?.note !== text) await runner.query(`COMMENT ON TABLE public.migrations IS ${pg.escapeLiteral(text)}`);
}
