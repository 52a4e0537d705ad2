import { readFileSync } from 'node:fs';
import { parseUrl } from '@crm/address-policy';
import { ENCRYPTED_FORM, PLAINTEXT_KINDS, type PlaintextKind, plaintextKindOf } from './plaintext.js';

/** A secret that was to come from a file and cannot; the message says why and holds no secret. */
export class UnusableSecretFile extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableSecretFile';
  }
}

/** What most editors and `echo` put at the end of a file; it is no part of the secret. */
const LINE_END = /\r?\n$/;

/** The content without a line end. @throws UnusableSecretFile, naming the variable, when it is empty or unreadable */
export function readSecretFile(variable: string, path: string): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UnusableSecretFile(`${variable}: ${path} cannot be read (${codeOf(error)})`);
  }
  const secret = content.replace(LINE_END, '');
  if (secret === '') throw new UnusableSecretFile(`${variable}: ${path} is empty`);
  return secret;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EACCES: 'this user has no permission to',
  EISDIR: "it's a folder",
};

function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return REASONS[code] ?? code;
}

/** A problem with the environment; every problem is listed. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

/** Exit status for an invalid configuration; any other failed start is 1. */
const EXIT_CONFIGURATION = 2;

type Environment = Readonly<Record<string, string | undefined>>;

interface Reading {
  readonly environment: Environment;
  readonly problems: string[];
}

/** The reading in progress; a nested one reports its problems with the outer one. */
let current: Reading | undefined;

/** Readings nest, so that all problems are listed together. @throws ConfigurationError; a process exits with status 2 */
export function readEnvironment<T>(read: (env: EnvironmentReader) => T, environment?: Environment): T {
  if (current) return read(new EnvironmentReader(current));
  const reading: Reading = { environment: environment ?? process.env, problems: [] };
  current = reading;
  let settings: T | undefined;
  let failure: unknown;
  try {
    settings = read(new EnvironmentReader(reading));
  } catch (error) {
    failure = error;
  } finally {
    current = undefined;
  }
  if (reading.problems.length > 0) {
    const error = new ConfigurationError(reading.problems);
    if (environment) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIGURATION);
  }
  if (failure) throw failure;
  return settings as T;
}

interface Option<T> {
  /** Used when the variable is unset or empty. Without a default the variable is required. */
  readonly default?: T;
}

/** Reads single variables. For a missing or invalid value it records a problem and returns a harmless placeholder. */
export class EnvironmentReader {
  constructor(private readonly reading: Reading) {}

  string(name: string, option: Option<string> = {}): string {
    return this.read(name, option, '', (text) => text);
  }

  optional(name: string): string | undefined {
    return this.reading.environment[name] || undefined;
  }

  integer(name: string, option: Option<number> & { min?: number; max?: number } = {}): number {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = option;
    return this.read(name, option, min, (text) => {
      const value = Number(text);
      if (/^-?\d+$/.test(text) && value >= min && value <= max) return value;
      return this.refuse(name, `a whole number from ${min} to ${max}`, min);
    });
  }

  fraction(name: string, option: Option<number> = {}): number {
    return this.read(name, option, 0, (text) => {
      const value = Number(text);
      if (/^\d*\.?\d+$/.test(text) && value <= 1) return value;
      return this.refuse(name, 'a number from 0 to 1', 0);
    });
  }

  /** 0 lets the system choose. */
  port(name: string, option: Option<number> = {}): number {
    return this.integer(name, { ...option, min: 0, max: 65_535 });
  }

  /**
   * Without a trailing slash; never printed, as it may hold a password. `secret`: may also be a file. In production an
   * address of another machine must be encrypted, unless ALLOW_PLAINTEXT names its kind.
   */
  url(name: string, option: Option<string> & { schemes?: readonly string[]; secret?: boolean } = {}): string {
    const plaintext = this.plaintextAllowed();
    return this.read(name, option, '', (text) => {
      const url = parseUrl(text);
      const scheme = url?.protocol.slice(0, -1);
      if (url && scheme && (!option.schemes || option.schemes.includes(scheme))) {
        this.refusePlaintext(name, [url], plaintext);
        return text.replace(/\/+$/, '');
      }
      return this.refuse(name, `a URL${option.schemes ? ` (${option.schemes.join(', ')})` : ''}`, '');
    });
  }

  /**
   * Never printed. NAME_FILE may name a file instead: one is mounted for one container and not inherited by programs.
   * `bytes`: base64 of exactly this many bytes.
   */
  secret(name: string, option: Option<string> & { bytes?: number } = {}): string {
    return this.read(name, { ...option, secret: true }, '', (text) => {
      if (option.bytes === undefined || Buffer.from(text, 'base64').length === option.bytes) return text;
      return this.refuse(name, `${option.bytes} bytes in base64`, '');
    });
  }

  /** One or more absolute URLs, separated by commas: those of the servers of a cluster. Never printed, as above. */
  urls(name: string, option: Option<string> & { schemes: readonly string[] }): string {
    const plaintext = this.plaintextAllowed();
    return this.read(name, option, '', (text) => {
      const urls = text.split(',').map((one) => one.trim());
      const parsed = urls.flatMap((one) => parseUrl(one) ?? []);
      const isAllowed = ({ protocol }: URL) => option.schemes.includes(protocol.slice(0, -1));
      if (parsed.length === urls.length && parsed.every(isAllowed)) {
        this.refusePlaintext(name, parsed, plaintext);
        return urls.join();
      }
      return this.refuse(name, `URLs (${option.schemes.join(', ')}), separated by commas`, '');
    });
  }

  oneOf<const T extends string>(name: string, values: readonly T[], option: Option<NoInfer<T>> = {}): T {
    return this.read(name, option, values[0] as T, (text) => {
      const value = values.find((candidate) => candidate === text);
      return value ?? this.refuse(name, `one of ${values.join(', ')}`, values[0] as T);
    });
  }

  boolean(name: string, option: Option<boolean> = {}): boolean {
    return this.read(name, option, false, (text) => {
      if (text === 'true' || text === 'false') return text === 'true';
      return this.refuse(name, 'true or false', false);
    });
  }

  /** Whole numbers within the bounds by lower-case name, as `outbox=7,inbox=15`. */
  integersByName(
    name: string,
    option: Option<Readonly<Record<string, number>>> & { min: number; max: number },
  ): Readonly<Record<string, number>> {
    const { min, max } = option;
    return this.read(name, option, {}, (text) => {
      const parts = text.split(',').map((part) => /^\s*([a-z][a-z0-9_]*)\s*=\s*(\d+)\s*$/.exec(part));
      const pairs = parts.map((part) => [part?.[1] ?? '', Number(part?.[2] ?? Number.NaN)] as const);
      const isValid = pairs.every(([key, value]) => key !== '' && value >= min && value <= max);
      if (isValid && new Set(pairs.map(([key]) => key)).size === pairs.length) return Object.fromEntries(pairs);
      return this.refuse(name, `names with whole numbers from ${min} to ${max}, such as a=${min},b=${max}`, {});
    });
  }

  list(name: string, option: Option<readonly string[]> = {}): readonly string[] {
    return this.read(name, option, [], (text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    );
  }

  /** Records a problem that concerns several settings, once. */
  problem(text: string): void {
    if (!this.reading.problems.includes(text)) this.reading.problems.push(text);
  }

  /** Which kinds of connections between machines may go without encryption; undefined for any, outside production. */
  private plaintextAllowed(): readonly PlaintextKind[] | undefined {
    const isProduction = (this.optional('PROFILE') ?? 'production') === 'production';
    const listed = this.list('ALLOW_PLAINTEXT', { default: [] });
    const kinds = PLAINTEXT_KINDS.filter((kind) => listed.includes(kind));
    if (kinds.length !== new Set(listed).size) {
      this.problem(`ALLOW_PLAINTEXT must be some of ${PLAINTEXT_KINDS.join(', ')}, separated by commas`);
    }
    return isProduction ? kinds : undefined;
  }

  private refusePlaintext(name: string, urls: readonly URL[], allowed: readonly PlaintextKind[] | undefined): void {
    for (const kind of new Set(urls.flatMap((url) => plaintextKindOf(url) ?? []))) {
      if (!allowed || allowed.includes(kind)) continue;
      this.problem(
        `${name} leads to another machine without encryption: use ${ENCRYPTED_FORM[kind]}, or allow it with ALLOW_PLAINTEXT=${kind}`,
      );
    }
  }

  private read<T>(
    name: string,
    option: Option<T> & { secret?: boolean },
    placeholder: T,
    parse: (text: string) => T,
  ): T {
    try {
      const text = option.secret ? this.secretText(name) : this.optional(name);
      if (text !== undefined) return parse(text);
    } catch (error) {
      if (!(error instanceof UnusableSecretFile)) throw error;
      this.problem(error.message);
      return placeholder;
    }
    if (option.default !== undefined) return option.default;
    this.problem(`${name} is not set`);
    return placeholder;
  }

  private secretText(name: string): string | undefined {
    const [text, file] = [this.optional(name), this.optional(`${name}_FILE`)];
    if (file === undefined) return text;
    if (text !== undefined) throw new UnusableSecretFile(`${name} and ${name}_FILE are both set: set one of them`);
    return readSecretFile(`${name}_FILE`, file);
  }

  private refuse<T>(name: string, expected: string, placeholder: T): T {
    this.problem(`${name} must be ${expected}`);
    return placeholder;
  }
}
