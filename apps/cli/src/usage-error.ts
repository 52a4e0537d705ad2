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
