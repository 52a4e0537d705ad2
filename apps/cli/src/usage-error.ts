/** The command was called wrongly, or what it was given cannot be used: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /** @param usage shown after the message; left out when the call was right and only a file or an address was not */
  constructor(
    message: string,
    readonly usage?: string,
  ) {
    super(message);
  }
}
