import { type ParseArgsConfig, parseArgs } from 'node:util';
import { errorCodeOf, messageOf } from './error-code.js';
import { UsageError } from './usage-error.js';

/**
 * Calls `parseArgs`, allows positional arguments and converts its errors to usage errors.
 *
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
