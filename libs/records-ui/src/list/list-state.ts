/** What a list is asked for; in the address, where records have one. */
export interface ListState {
  readonly q?: string;
  /** Field, with `-` before it downwards; the newest first without it. */
  readonly sort?: string;
  /** A field and the one value that is wanted of it. */
  readonly field?: string;
  readonly value?: string;
}
