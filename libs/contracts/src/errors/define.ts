/** An entry of the error catalogue. */
export interface ErrorDefinition<Code extends string = string> {
  readonly code: Code;
  /** HTTP status. */
  readonly status: number;
  /** Short, constant text; the specifics of one occurrence go into `detail`. */
  readonly title: string;
}

type Definitions<T extends Record<string, readonly [number, string]>> = {
  readonly [Code in keyof T & string]: ErrorDefinition<Code>;
};

/** Declares the errors of one domain; each key is the code that clients see. */
export function defineErrors<const T extends Record<string, readonly [number, string]>>(entries: T): Definitions<T> {
  return Object.fromEntries(
    Object.entries(entries).map(([code, [status, title]]) => [code, { code, status, title }]),
  ) as unknown as Definitions<T>;
}
