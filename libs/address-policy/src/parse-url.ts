/**
 * A text as the WHATWG parser reads it, or undefined when it is no URL. In the place of `URL.canParse`, which in Node 20
 * judges texts with letters like ü wrongly once it has been compiled: after some thousand calls it refuses
 * `https://bücher.de/`.
 * @param base where a relative one begins
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch (error) {
    // The only thing that the constructor throws for two texts; by its name, since it may come from another realm.
    if ((error as Error).name === 'TypeError') return undefined;
    throw error;
  }
}
