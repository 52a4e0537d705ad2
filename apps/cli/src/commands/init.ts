import { constants } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { APP_KINDS, type AppKind } from '@crm/manifest';
import { errorCodeOf, parseArguments, UsageError } from '../arguments.js';
import { EXAMPLES } from '../package-source.js';
import { printable, type Terminal } from '../terminal.js';

export const INIT_USAGE = `Usage: crm-dev init --kind <kind> [folder]

Create a starter package that passes certification, in the folder (default: the current one).

  --kind <kind>  ${APP_KINDS.join(', ')}

Exit status: 0 created, 2 wrong usage, or the folder already has a package.
`;

const FILES = ['app.json', 'review-packet.json'] as const;

/** `crm-dev init`. @returns the exit status */
export async function initCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(args, { kind: { type: 'string' } }, INIT_USAGE);
  const kind = APP_KINDS.find((name) => name === values.kind);
  if (!kind) throw new UsageError(`--kind must be one of ${APP_KINDS.join(', ')}.`, INIT_USAGE);
  if (positionals.length > 1) throw new UsageError('Pass only one folder.', INIT_USAGE);
  const folder = positionals[0] ?? '.';
  await writeStarter(kind, folder);
  const app = path.join(folder, 'app.json');
  const packet = path.join(folder, 'review-packet.json');
  terminal.out(printable(`Created ${app} and ${packet}`));
  terminal.out('\n\nNext: edit key, name, and publisher, then run\n');
  terminal.out(`  ${printable(`crm-dev certify ${app} --review ${packet}`)}\n`);
  return 0;
}

async function writeStarter(kind: AppKind, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of FILES) {
    const target = path.join(folder, file);
    try {
      await copyFile(new URL(`${kind.replace('_', '-')}/${file}`, EXAMPLES), target, constants.COPYFILE_EXCL);
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
      throw new UsageError(`${target} already exists. Nothing was overwritten.`);
    }
  }
}
