/** Where the calls get their token from. It is kept in memory only: no storage, no address, no cookie. */
export interface TokenSource {
  /** The token for the next call; waits for the first one. Rejects when there is none to be had. */
  current(): Promise<string>;
  /**
   * The token that replaces one that the API refused. Calls that are refused at the same time wait for the same one.
   * Rejects when there is none to be had.
   */
  replacementFor(refused: string): Promise<string>;
}
