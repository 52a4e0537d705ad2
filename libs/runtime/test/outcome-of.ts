import { ConfigurationError, type EnvironmentReader, readEnvironment } from '../src/configuration/environment.js';

/** What some work that reads an environment gives, or the problems that it finds. */
export function outcomeOf<T>(work: () => T): T | readonly string[] {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

/** What is read from an environment, or the problems that it has. */
export const outcomeIn = <T>(environment: Record<string, string | undefined>, read: (env: EnvironmentReader) => T) =>
  outcomeOf(() => readEnvironment(read, environment));
