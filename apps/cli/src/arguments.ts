import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * The `code` of a Node error, or an empty string. Avoids `instanceof` because runtime errors may come from another realm.
 */
export function errorCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}

/** The members of a JSON value; none when it is no object. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Wrong usage, or an input that cannot be used: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** @param usage shown after the message; omitted when the usage was right and only a file or an address was not */
  constructor(
    message: string,
    readonly usage?: string,
  ) {
    super(message);
  }
}

/**
 * Calls `parseArgs` with positional arguments allowed.
 * @throws UsageError for an unknown option or one without a value
 */
export function parseArguments<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
  usage: string,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!errorCodeOf(error).startsWith('ERR_PARSE_ARGS')) throw error;
    // Only the first sentence: Node adds advice about arguments that begin with a hyphen.
    throw new UsageError(`${messageOf(error).split(/\. |\n/)[0]}.`, usage);
  }
}
