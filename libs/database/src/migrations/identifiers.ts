const IDENTIFIER = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * A name for use in SQL text.
 * @throws Error when it is not lower-case snake_case, so that no name ever needs quoting
 */
export function identifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new Error(`"${name}" is not a lower-case SQL name of at most 63 characters`);
  return name;
}

/** The name of a constraint or index, truncated to Postgres' limit of 63 characters. */
export function derivedName(...parts: readonly string[]): string {
  return identifier(
    parts
      .join('_')
      .replace(/[^a-z0-9_]+/g, '_')
      .slice(0, 63),
  );
}
