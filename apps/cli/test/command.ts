import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CliConfig } from '../src/config.js';
import { runCli } from '../src/run-cli.js';
import { coloursOf } from '../src/terminal.js';

/** Result of a run of the command. Paths of the folder are shown as `~`. */
export interface Outcome {
  status: number;
  out: string;
  err: string;
}

/** Settings that differ from a plain terminal. */
export interface Setting {
  colours?: boolean;
  columns?: number;
  config?: Partial<CliConfig>;
  /** Ctrl-C. */
  interruption?: AbortSignal;
  /** Gets what is written, as it is written. */
  onOutput?: (outcome: Omit<Outcome, 'status'>) => void;
}

/** A folder for one test file, in which the command runs in this process. */
export class Workspace {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'crm-dev-'));

  path(name: string): string {
    return path.join(this.folder, name);
  }

  /** Writes a file and returns its path. */
  write(name: string, content: unknown): string {
    const text =
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2);
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  async run(
    args: readonly string[],
    { colours = false, columns = 100, config = {}, interruption, onOutput }: Setting = {},
  ): Promise<Outcome> {
    const written = { out: '', err: '' };
    const writeTo = (stream: 'out' | 'err') => (text: string) => {
      written[stream] += text;
      onOutput?.(written);
    };
    const status = await runCli(args, {
      out: writeTo('out'),
      err: writeTo('err'),
      colours: coloursOf(colours),
      columns,
      config: { colours: 'auto', baseUrl: undefined, token: undefined, refreshToken: undefined, ...config },
      interruption: () => interruption ?? new AbortController().signal,
    });
    const { out, err } = written;
    return { status, out: out.replaceAll(this.folder, '~'), err: err.replaceAll(this.folder, '~') };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

const EXAMPLES = path.join(import.meta.dirname, '../../../examples');

/** The path of a file of an example package. */
export function examplePath(folder: string, file = 'app.json'): string {
  return path.join(EXAMPLES, folder, file);
}

/** The text of an example package. */
export function exampleText(folder: string): string {
  return readFileSync(examplePath(folder), 'utf8');
}

/** The last line of an output. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
