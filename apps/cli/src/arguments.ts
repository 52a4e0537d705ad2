import { type ParseArgsConfig, parseArgs } from 'node:util';
import { errorCodeOf, messageOf } from './error-code.js';
import { UsageError } from './usage-error.js';

/**
 * `parseArgs` with positionals allowed, whose complaints become usage errors.
 *
 * @throws UsageError for an unknown option or one without its value
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
    // The first sentence; Node goes on about arguments that begin with a hyphen.
    throw new UsageError(`${messageOf(error).split(/\. |\n/)[0]}.`, usage);
  }
}
